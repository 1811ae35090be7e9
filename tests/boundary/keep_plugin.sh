#!/bin/sh
# Builds kept/VERSION/plugin.c with the headers of this tree, for this machine's architecture:
#   tests/boundary/keep_plugin.sh VERSION
# Run once for each version of the boundary, before it is released; the file is then kept as it is.
set -eu
version=${1:?usage: keep_plugin.sh VERSION}
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$root/tests/boundary/kept/$version
major=$(sed -n 's/#define PATCHBAY_ABI_MAJOR //p' "$root/include/patchbay/plugin/abi.h")
minor=$(sed -n 's/#define PATCHBAY_ABI_MINOR //p' "$root/include/patchbay/plugin/abi.h")
[ "$version" = "$major.$minor" ] || { echo "the headers have version $major.$minor" >&2; exit 1; }
file=$folder/$(uname -m)/patchbay-kept.so
[ ! -e "$file" ] || { echo "$file is kept already" >&2; exit 1; }
mkdir -p "${file%/*}"
# Named by its path in the tree, so that the file has no path of this machine.
cd "$root"
cc -std=c11 -Os -fPIC -shared -fvisibility=hidden -s -Wl,-z,defs -Wl,-z,relro -Wl,-z,now -Iinclude \
  -o "$file" "tests/boundary/kept/$version/plugin.c"
python3 tests/boundary/check_layout.py . --print >"$folder/layout.txt"

# Functions that the scripts share. Sourced by bash; the caller sets `set -euo pipefail`.

root_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root_dir"

# Packages to build the library, its plugins and its programs, and libraries opened at run time.
build_packages=(g++ cmake ninja-build libboost-dev libfmt-dev nlohmann-json3-dev libcli11-dev
                zlib1g-dev ocl-icd-libopencl1 ccache)
# The images, and a driver for a second device, which the demo loads its network on.
demo_packages=(dataset-fashion-mnist pocl-opencl-icd)
test_packages=(libgtest-dev libgmock-dev python3 binutils strace clang-14
               opencl-c-headers oclgrind libopenblas0-pthread libopenblas0-serial libdnnl2
               libamdhip64-dev openmpi-bin mpich)
# Comparison libraries of bench/, whose programs say what they leave out without them.
bench_packages=(libopenblas-serial-dev libopenblas-pthread-dev libopenblas0-openmp libblis-dev)
all_packages=(clang-format clang-tidy mesa-opencl-icd)

# Options of scripts/test, and of scripts/demo in a fresh tree: that builds no tests, whose packages
# may be missing. The library must be compiled in the same way, so that both can use one tree.
test_options=(-DPATCHBAY_BUILD_TESTS=ON -DPATCHBAY_BUILD_EXAMPLES=ON -DPATCHBAY_BUILD_TOOLS=ON
              -DPATCHBAY_BUILD_BENCH=ON -DPATCHBAY_TEST_OPTIMISED_KERNELS=OFF)
demo_options=(-DPATCHBAY_BUILD_TESTS=OFF -DPATCHBAY_BUILD_BENCH=OFF)

say() { printf '== %s\n' "$*"; }
skip() { printf '== skipped: %s\n' "$*"; }
fail() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "neither root nor sudo: please install ${missing[*]} yourself"
  fi
}

apt_quiet() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
    -o Acquire::Retries=3 "$@"
}

# Installs the named packages that are missing; prints nothing if there are none.
need_packages() {
  command -v dpkg-query >/dev/null || { skip "packages: no dpkg here; needed are: $*"; return 0; }
  local package
  missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  mkdir -p build
  run_logged build/packages.log install_missing
}

install_missing() {
  apt_quiet update
  apt_quiet install --no-install-recommends "${missing[@]}"
}

# run_logged FILE COMMAND...: writes the output to FILE and shows it only if COMMAND fails.
run_logged() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 || { tail -n 60 "$log" >&2; fail "failed: $* (all of it: $log)"; }
}

# configure PRESET [cmake options...]
configure() {
  local preset=$1
  say "configuring $preset"
  run_logged "build/$preset.configure.log" cmake --preset "$preset" "${@:2}"
  grep -E '^-- (Plugin|Skipped)' "build/$preset.configure.log" || true
}

# build PRESET [targets...]: shows ninja's status on a terminal; in a log, a line for each tenth.
build() {
  local preset=$1 log=build/$1.build.log
  local -a command=(cmake --build --preset "$preset" ${2:+--target} "${@:2}")
  say "building $preset"
  if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then
    "${command[@]}" || fail "failed: ${command[*]}"
    return
  fi
  "${command[@]}" 2>&1 | tee "$log" | show_tenths ||
    { tail -n 60 "$log" >&2; fail "failed: ${command[*]} (all of it: $log)"; }
}

# Reads ninja's status lines, "[12/345] Building ...".
show_tenths() {
  local line tenth shown=0 few=20  # short builds, such as running CMake again, show no progress
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    [ "$tenth" -gt "$shown" ] && [ "${BASH_REMATCH[2]}" -gt "$few" ] || continue
    shown=$tenth
    printf '   %d %% of %d steps\n' $((10 * tenth)) "${BASH_REMATCH[2]}"
  done
}

# suite PRESET [ctest options...]: prints ctest's output, with the suite's duration and number of
# cases before the summary.
suite() {
  local preset=$1 start=$SECONDS
  rm -rf "build/$preset/test-results"
  ctest --test-dir "build/$preset" --output-on-failure -j2 "${@:2}" | show_suite "build/$preset" "$start"
}

# show_suite BUILD START
show_suite() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^[0-9]+%\ tests\ passed ]]; then
      say "the suite took $((SECONDS - $2)) s; $(tests/support/count_cases.py "$1")"
    fi
    printf '%s\n' "$line"
  done
}

# Prints the names of our C and C++ files, each followed by a zero byte.
our_sources() {
  find include core kit plugins conformance tools examples bench tests -type f \
    \( -name '*.c' -o -name '*.cpp' -o -name '*.h' -o -name '*.hpp' \) -print0 2>/dev/null
}

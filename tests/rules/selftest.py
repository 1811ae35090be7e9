#!/usr/bin/env python3
"""Shows for each rule that its check is silent on a clean tree and fails on a planted violation.

  selftest.py RULE       a name of check_rules.RULES; ends with 0, 1 or 77 (can't run here)
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from build_rules import Skip
from check_rules import RULES
from source_tree import Tree
from tracked_rules import MOST_BYTES

CLEAN = {
    "include/patchbay/tensor.h": "#include <vector>\n",
    "include/patchbay/device.h": "// cuda in a comment is no identifier; neither is 'dlopen('\n",
    "include/patchbay/plugin/abi.h": "#include <stdint.h>\n",
    "include/patchbay/plugin/kernels/dialect.h": "#define PATCHBAY_OPENCL 1\n",
    "core/runtime/copy/copy.cpp": "void f() { table->copy_to_host(a, b); }\n",
    "core/runtime/validation/guard.cpp": "void f() { real.memory.copy_to_host(a, b); }\n",
    "core/runtime/plugin/loader.cpp": '#include "patchbay/device.h"\nvoid g() { dlopen("x", 0); }\n',
    "core/tensor/ops/ops.cpp": '#include "patchbay/plugin/kernels/dialect.h"\nint ship, relationship;\n',
    "plugins/one/plugin.cpp": '#include <CL/cl.h>\n#include "kText.text.h"\n#include "one.h"\n#include "kit/share.h"\n',
    "plugins/one/one.h": "/* printf(1); */ const char* text = \"abort()\";\nint snprintf(int);\n",
    "plugins/one/symbols.cpp": "Library library(path);\n",
    "plugins/two/two.h": "",
    "kit/library/library.cpp": "void* h = dlopen(path, 0);\n",
    "kit/share.h": '#include "patchbay/plugin/abi.h"\n',
    "CMakeLists.txt": "# no openblas\n",
}

# rule: (file, its content, line where the violation is) of each violation that is planted alone
PLANTED = {
    "1_plugin_includes": [
        ("plugins/one/bad.cpp", '#include "../two/two.h"\n', 1),
        ("plugins/one/bad.cpp", '\n#include "patchbay/tensor.h"\n', 2),
        ("plugins/one/bad.cpp", '#include "core/runtime/copy/copy.h"\n', 1),
        ("plugins/one/bad.cpp", "#include <boost/dll.hpp>\n", 1),
    ],
    "2_vendor_words": [
        ("core/runtime/copy/bad.cpp", "int a;\nint use_cuda_here;\n", 2),
        ("core/runtime/copy/bad.cpp", 'auto s = "libOpenCL.so";\n', 1),
        ("include/patchbay/bad.h", "class CuBlasHandle;\n", 1),
        ("core/runtime/copy/hip_device.cpp", "\n", 1),
        ("CMakeLists.txt", "add_subdirectory(plugins/cpu-openblas)\n", 1),
    ],
    "3_layers": [
        ("core/runtime/copy/bad.cpp", '\n#include "patchbay/tensor.h"\n', 2),
        ("include/patchbay/bad.h", '#include "core/runtime/copy/copy.h"\n', 1),
        ("include/patchbay/bad.h", '#include "patchbay/plugin/abi.h"\n', 1),
        ("core/tensor/ops/bad.cpp", '#include "core/nn/module.h"\n', 1),
        ("core/tensor/ops/bad.cpp", '#include "patchbay/plugin/abi.h"\n', 1),
    ],
    "3_rooms": [
        ("core/runtime/device/bad.cpp", '\n#include "core/runtime/copy/copy.cpp"\n', 2),
        ("core/base/bad.h", '#include "core/runtime/plugin/loader.cpp"\n', 1),
        ("core/runtime/nowhere/bad.cpp", "int a;\n", 1),
        ("kit/bad.hpp", '#include "kit/library/library.cpp"\n', 1),
    ],
    "4_headers_gcc": [("include/patchbay/bad.h", "inline std::string text;\n", 1)],
    "4_headers_clang": [("include/patchbay/bad.h", "struct P { int a, b; };\ninline P p() { return P(1, 2); }\n", 1)],
    "4_headers_c": [("include/patchbay/plugin/bad.h", "class Device;\n", 1)],
    "5_single_places": [
        ("core/runtime/copy/bad.cpp", 'void* h =\n    dlopen("x", 0);\n', 2),
        ("core/tensor/ops/bad.cpp", "#include <boost/dll/shared_library.hpp>\n", 1),
        ("plugins/one/bad.cpp", "void* h = dlmopen(0, path, 0);\n", 1),
        ("kit/executor/bad.cpp", "void* h = dlopen(path, 0);\n", 1),
        ("plugins/one/symbols.cpp", "void* h = dlopen(path, 0);\n", 1),
        ("core/runtime/copy/bad.cpp", "void f() { memory.copy_to_device(a, b); }\n", 1),
        ("core/tensor/ops/bad.cpp", "auto s = table->copy_to_peer (a, b);\n", 1),
    ],
    "6_silence": [
        ("core/runtime/copy/bad.cpp", 'void f() {\n  std::cout << 1;\n}\n', 2),
        ("include/patchbay/bad.h", "inline void f() { std::abort(); }\n", 1),
        ("plugins/one/bad.cpp", 'void f() { fprintf(stderr, "x"); }\n', 1),
        ("plugins/one/bad.cpp", "void f() { ::exit(1); }\n", 1),
    ],
}

NINJA = (
    "build bin/demo: CXX_EXECUTABLE_LINKER__demo_Release examples/CMakeFiles/demo.dir/a.cpp.o | "
    "lib/libpatchbay.so || lib/patchbay/plugins/patchbay-one.so{order}\n"
    "  LINK_LIBRARIES = -Wl,-rpath,x lib/libpatchbay.so{library}\n"
)
ENTRY = 'extern "C" int patchbay_plugin_v1() { return 0; }\n'


class Failure(Exception):
    pass


def write(root: Path, path: str, content: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(content)


def expect(rule: str, root: Path, build: Path | None, where: str | None) -> None:
    """The rule reports the place `where`, or nothing if it is None."""
    found = list(RULES[rule](Tree(root), build))
    if where is None and found:
        raise Failure(f"{rule} fails on a clean tree: {found[0]}")
    if where is not None and not any(f"{v.path}:{v.line}".endswith(where) for v in found):
        raise Failure(f"{rule} misses what was planted at {where}; found {found or 'nothing'}")


def test_sources(rule: str, root: Path) -> None:
    expect(rule, root, None, None)
    for path, content, line in PLANTED[rule]:
        before = CLEAN.get(path)
        write(root, path, content)
        expect(rule, root, None, f"{path}:{line}")
        if before is None:
            (root / path).unlink()
        else:
            write(root, path, before)


def test_links(rule: str, root: Path) -> None:
    write(root, "build.ninja", NINJA.format(order="", library=""))
    expect(rule, root, root, None)
    write(root, "build.ninja", NINJA.format(order="", library=" lib/patchbay-one.so"))
    expect(rule, root, root, "build.ninja:1")
    unit = NINJA.replace("bin/demo", "test-bin/unit-one").replace("__demo", "__unit-one")
    part = "examples/CMakeFiles/demo.dir/__/__/plugins/one/part.cpp.o"
    for ninja, planted, place in [
        (NINJA, "plugins/one/CMakeFiles/patchbay-one.dir/plugin.o", "build.ninja:1"),
        (unit, "plugins/one/CMakeFiles/patchbay-one.dir/plugin.o", "build.ninja:1"),
        (NINJA, part, "build.ninja:1"),
        (unit, part, None),
    ]:
        text = ninja.replace("a.cpp.o", f"a.cpp.o {planted}").format(order="", library="")
        write(root, "build.ninja", text)
        expect(rule, root, root, place)


def build_plugin(root: Path, code: str, *options: str) -> None:
    library = root / "test-plugins" / "patchbay-one.so"
    library.parent.mkdir(exist_ok=True)
    subprocess.run(
        ["g++", "-shared", "-fPIC", "-Wl,--no-as-needed", "-xc++", "-", "-o", library, *options],
        input=code, text=True, check=True,
    )


def test_binaries(rule: str, root: Path) -> None:
    build_plugin(root, ENTRY)
    expect(rule, root, root, None)
    # A static of an inline function is a `u` symbol: unique in the process, and thus exported.
    build_plugin(root, ENTRY + "inline int& f() { static int i; return i; }\nint* p = &f();\n")
    expect(rule, root, root, "patchbay-one.so:1")
    build_plugin(root, "static int nothing;\n")
    expect(rule, root, root, "patchbay-one.so:1")
    build_plugin(root, ENTRY, "-Wl,-soname,libvendor.so", "-lz")
    expect(rule, root, root, "patchbay-one.so:1")


# Of a low folder and a high one: what the low one does, and the symbol that is reported, or None.
LOW, HIGH = "core/base/low.cpp", "core/runtime/copy/high.cpp"
SHARED = """
    struct Shape { virtual ~Shape(); int sides; };
    template <class T> T twice(T a) { return a + a; }
    template <class T> struct Box { T get() { return value; } T value; };
    inline int once(int a) { return a; }
    extern int count;
    int high(int), low(int);
"""
IN_HIGH = """
    Shape::~Shape() {}
    template struct Box<long>;
    int count = 0;
    int high(int a) { return low(a) + once(a) + twice(a) + Box<int>().get(); }
"""
CALLS = [
    ("int low(int a) { return once(a) + twice(a) + Box<int>().get(); }", None),
    ("int low(int a) { return high(a); }", "high(int)"),
    ("int low(int) { return count; }", "count"),
    ("int low(int) { Shape shape; return 0; }", "vtable for Shape"),
    ("extern template struct Box<long>; int low(int) { return Box<long>().get(); }", "Box<long>::get()"),
    ("inline int indirect(int a) { return high(a); } int low(int a) { return indirect(a); }", "high(int)"),
    ("int low(int a) { int (*call)(int) = high; return call(a); }", "high(int)"),
]


def compile_source(root: Path, path: str, code: str, built_as: str) -> None:
    write(root, path, code)
    built = root / "build" / built_as
    built.parent.mkdir(parents=True, exist_ok=True)
    command = ["g++", "-std=c++20", "-fPIC", "-c", "-xc++", "-", "-o", built]
    subprocess.run(command, input=SHARED + code, text=True, check=True)


def expect_skip(rule: str, root: Path, build: Path | None) -> None:
    try:
        list(RULES[rule](Tree(root), build))
    except Skip:
        return
    raise Failure(f"{rule} does not say that there is no build in {build}")


def test_calls(rule: str, root: Path) -> None:
    build = root / "build"
    expect_skip(rule, root, None)
    expect_skip(rule, root, build)
    compile_source(root, HIGH, IN_HIGH, "core/CMakeFiles/patchbay.dir/runtime/copy/high.cpp.o")
    for code, symbol in CALLS:
        compile_source(root, LOW, code, "core/CMakeFiles/patchbay.dir/base/low.cpp.o")
        expect(rule, root, build, f"{LOW}:1" if symbol else None)
        for violation in RULES[rule](Tree(root), build):
            if f"calls {symbol} of {HIGH}" in violation.message:
                break
        else:
            if symbol:
                raise Failure(f"{rule} does not name {symbol}, which {LOW} uses")
    # An object of a source that has moved since is not read; __ is a parent folder.
    (root / LOW).unlink()
    expect(rule, root, build, None)
    path = "core/output/low.cpp"
    compile_source(root, path, CALLS[1][0], "core/nn/CMakeFiles/nn.dir/__/output/low.cpp.o")
    expect(rule, root, build, f"{path}:1")


def test_tracked_files(rule: str, root: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True)

    try:
        expect(rule, root, None, None)
        raise Failure(f"{rule} runs where no repository is")
    except Skip:
        pass
    if not shutil.which("git"):
        raise Skip("no git here")
    git("init")
    write(root, ".gitignore", "/build/\n")
    git("add", ".")
    write(root, "runs/model.safetensors", "not tracked")
    expect(rule, root, None, None)
    for path, size in [("runs/model.safetensors", 9), ("a.so.1", 9), ("build/list.txt", 9),
                       ("docs/large.svg", MOST_BYTES + 1)]:
        write(root, path, "a" * size)
        git("add", "--force", path)
        expect(rule, root, None, f"{path}:1")
        git("rm", "--force", path)
    write(root, "docs/small.svg", "a" * MOST_BYTES)
    git("add", "docs/small.svg")
    expect(rule, root, None, None)


SPECIAL = {
    "3_calls": test_calls,
    "4_linked_plugins": test_links,
    "7_binaries": test_binaries,
    "8_tracked_files": test_tracked_files,
}


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in RULES:
        print(f"usage: selftest.py RULE, one of {', '.join(RULES)}", file=sys.stderr)
        return 2
    rule = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, content in CLEAN.items():
            write(root, path, content)
        try:
            SPECIAL.get(rule, test_sources)(rule, root)
        except Skip as skip:
            print(f"{rule}: skipped, {skip}")
            return 77
        except Failure as failure:
            print(failure)
            return 1
    print(f"{rule}: its check sees what was planted")
    return 0


if __name__ == "__main__":
    sys.exit(main())

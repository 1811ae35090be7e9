"""Rules 4 and 7: what only compilers, link lines and binaries show. One function a rule."""

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source_tree import Tree, Violation


class Skip(Exception):
    """The check can't run here; the text says why."""


def need_build(build: Path | None) -> Path:
    if build is None:
        raise Skip("no build folder was given (--build)")
    return build


# --- 4 ---

LINK_EDGE = re.compile(r"^build ([^:\n]+): (\w*EXECUTABLE_LINKER[\w-]*|\w*LIBRARY_LINKER[\w-]*) (.*)$")


def linked_plugins(tree: Tree, build: Path | None):
    """Tests and examples reach plugins through the loader: read from the link lines of Ninja. A unit
    test may compile single sources of a plugin, and link no part of one."""
    ninja = need_build(build) / "build.ninja"
    if not ninja.exists():
        raise Skip(f"{ninja} is not there: the link lines are read from Ninja's file")
    lines = ninja.read_text(encoding="utf-8").replace("$\n", "").splitlines()
    for number, line in enumerate(lines, 1):
        edge = LINK_EDGE.match(line)
        if not edge or not re.search(r"(^|\s)(tests|examples)/", line.partition("||")[0]):
            continue
        inputs = edge.group(3).partition("||")[0].split()  # after || stands only the order
        is_unit = "/unit-" in edge.group(1)
        for following in lines[number:]:
            if not following.startswith("  "):
                break
            if following.strip().startswith("LINK_LIBRARIES"):
                inputs += following.split("=", 1)[1].split()
        for used in dict.fromkeys(inputs):
            if is_plugin(used) and not (is_unit and "/__/plugins/" in used):
                yield Violation(str(ninja), number, f"{edge.group(1)} links the plugin part {used}")


def is_plugin(used: str) -> bool:
    from_folder = re.search(r"(^|/)plugins/[^/]+/CMakeFiles/|__/plugins/", used)
    return bool(from_folder or re.search(r"(^|/|-l)patchbay-[a-z0-9-]+(\.so|\.a|$)", used))


STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]


def compile_alone(tree: Tree, headers: list[str], command: list[str]):
    """Includes each header as the only line of a source: clang warns on a header as main file."""
    if not shutil.which(command[0]):
        raise Skip(f"no {command[0]} here")

    def compile_one(path: str):
        name = path.removeprefix("include/")
        run = subprocess.run(
            [*command, *STRICT, "-I", str(tree.root / "include"), "-"],
            input=f'#include "{name}"\n#include "{name}"\n', text=True, capture_output=True,
        )
        if run.returncode == 0:
            return None
        reason = next((l for l in run.stderr.splitlines() if "error:" in l), run.stderr.strip())
        return Violation(path, 1, f"does not compile alone with {' '.join(command)}: {reason}")

    with ThreadPoolExecutor(2) as pool:
        yield from filter(None, pool.map(compile_one, headers))


def headers_gcc(tree: Tree, build: Path | None):
    """Each public header compiles alone with g++."""
    return compile_alone(tree, list(tree.files("include")), ["g++", "-std=c++20", "-xc++"])


def headers_clang(tree: Tree, build: Path | None):
    """The public headers compile with clang 14, in one unit: g++ has compiled each alone."""
    command = ["clang++-14", "-std=c++20", "-xc++"]
    if not shutil.which(command[0]):
        raise Skip(f"no {command[0]} here")
    folder = tree.root / "include"
    names = [path.removeprefix("include/") for path in tree.files("include")]
    run = subprocess.run(
        [*command, *STRICT, "-I", str(folder), "-"],
        input="".join(f'#include "{name}"\n' for name in names), text=True, capture_output=True,
    )
    if run.returncode == 0:
        return
    alone = list(compile_alone(tree, [f"include/{name}" for name in names], command))
    yield from alone or [Violation("include", 1, f"clang 14, of all: {run.stderr.strip()}")]


def headers_c(tree: Tree, build: Path | None):
    """The tables are C: each .h of plugin/ compiles alone as C11."""
    headers = tree.files("include/patchbay/plugin", suffixes={".h"})
    return compile_alone(
        tree, [p for p in headers if "/kernels/" not in p], ["gcc", "-std=c11", "-xc"]
    )


# --- 7 ---

ENTRY = re.compile(r"patchbay_plugin_v[0-9]+")
SYSTEM_LIBRARY = re.compile(r"lib(c|m|stdc\+\+|gcc_s)\.so\.[0-9]+|ld-linux[-\w]*\.so\.[0-9]+")
OF_NETWORKS = re.compile(r"libpatchbay\.so\.[0-9]+(\.[0-9]+)?|libz\.so\.[0-9]+")
SANITIZER = re.compile(r"lib(a|t|ub|l)san\.so\.[0-9]+")
HEADER_ONLY = re.compile(r"(?:[\w ]+ for )?(?:\w+ )?(fmt|boost|nlohmann|CLI)::")


def output_of(*command: str) -> list[str]:
    if not shutil.which(command[0]):
        raise Skip(f"no {command[0]} here")
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout.splitlines()


def exported(library: Path) -> list[str]:
    lines = output_of("nm", "-D", "-C", "--defined-only", str(library))
    return [line.split(maxsplit=2)[2] for line in lines if len(line.split(maxsplit=2)) == 3]


def needed(library: Path) -> list[str]:
    lines = output_of("readelf", "-d", "-W", str(library))
    return [line.split("[")[1].rstrip("]") for line in lines if "(NEEDED)" in line]


def foreign_thread_variables(library: Path) -> list[str]:
    """Those that must lie in the static block, where a library that is opened late may not be."""
    relocations = [line.split() for line in output_of("readelf", "-r", "-W", str(library))]
    # offset, info, type, value and name of the symbol, "+", addend; no symbol for the library's own
    return [each[4] for each in relocations if len(each) > 4 and "TPOFF" in each[2]]


def binaries(tree: Tree, build: Path | None):
    """A plugin exports its entry alone; nothing needs more than the system's libraries."""
    folder = need_build(build)
    core, networks = folder / "lib" / "libpatchbay.so", folder / "lib" / "libpatchbay-nn.so"
    libraries = [library for library in (core, networks) if library.exists()]
    plugins = [*folder.glob("lib/patchbay/plugins/*.so"), *folder.glob("test-plugins/*.so")]
    if not core.exists() and not plugins:
        raise Skip(f"nothing is built in {folder}")
    for plugin in sorted(plugins):
        symbols = exported(plugin)
        if len(symbols) != 1 or not ENTRY.fullmatch(symbols[0]):
            shown = ", ".join(symbols[:5]) or "nothing"
            yield Violation(str(plugin), 1, f"exports {len(symbols)} symbols, not its entry: {shown}")
    for name in foreign_thread_variables(core) if core.exists() else []:
        yield Violation(str(core), 1, f"reads {name}, a thread variable of another library, as its own")
    for library in [*sorted(plugins), *libraries]:
        for name in needed(library):
            if library == networks and OF_NETWORKS.fullmatch(name):
                continue
            if not SYSTEM_LIBRARY.fullmatch(name) and not SANITIZER.fullmatch(name):
                yield Violation(str(library), 1, f"needs {name}, which is no system library")
    for library in libraries:
        for symbol in exported(library):
            if HEADER_ONLY.match(symbol):
                yield Violation(str(library), 1, f"exports a symbol of another library: {symbol}")

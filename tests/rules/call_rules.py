"""Which folder may call which: read from the object files of a build."""

import shutil
import subprocess
from pathlib import Path
from typing import Iterator, NamedTuple

from build_rules import Skip, need_build
from room_rules import FLOORS, floor_of, room_of
from source_tree import Tree, Violation

STRONG = set("TDBRSGC")  # defined once in a program, or the linker reports it
WEAK = set("WVu")  # inline functions, instances of templates, tables of virtual functions


class Call(NamedTuple):
    caller: str
    callee: str
    symbol: str


def sources(tree: Tree, build: Path) -> Iterator[tuple[Path, str]]:
    """Object files below the trees of FLOORS, each with the path of the source that it is made of.

    CMake compiles <folder>/<name>.cpp to <folder>/CMakeFiles/<target>.dir/<name>.cpp.o, where __
    stands for a parent folder. An object that is left of a source that moved is not read.
    """
    for root in FLOORS:
        for path in sorted((build / root).rglob("*.o")):
            parts = path.relative_to(build).parts
            if "CMakeFiles" not in parts:
                continue
            at = parts.index("CMakeFiles")
            folder = list(parts[:at])
            for part in parts[at + 2 :]:
                folder = folder[:-1] if part == "__" else [*folder, part]
            source = "/".join(folder).removesuffix(".o")
            if room_of(source) and (tree.root / source).is_file():
                yield path, source


def symbols(objects: list[Path]) -> Iterator[tuple[str, str, str]]:
    """Object, name and kind of each symbol that other objects can see or have to define."""
    if not shutil.which("nm"):
        raise Skip("no nm here")
    command = ["nm", "-A", "-P", "-g", *map(str, objects)]
    run = subprocess.run(command, text=True, capture_output=True, check=True)
    for line in run.stdout.splitlines():
        path, _, symbol = line.partition(": ")
        name, kind = symbol.split()[:2]
        yield path, name, kind


def all_calls(tree: Tree, build: Path) -> set[Call]:
    """Symbols that an object needs and an object of another folder of the same tree defines."""
    source_of = {str(path): source for path, source in sources(tree, build)}
    if not source_of:
        raise Skip(f"nothing is built in {build}")
    strong: dict[str, set[str]] = {}
    weak: dict[str, set[str]] = {}
    needed: set[tuple[str, str]] = set()
    for path, name, kind in symbols([Path(path) for path in source_of]):
        source = source_of[path]
        if kind == "U":
            needed.add((source, name))
        elif kind in STRONG:
            strong.setdefault(name, set()).add(source)
        elif kind in WEAK:
            weak.setdefault(name, set()).add(source)
    found = set()
    for caller, name in needed:
        callees = strong.get(name) or weak.get(name, set())
        callees = [callee for callee in callees if room_of(callee)[0] == room_of(caller)[0]]
        # What several objects define is a template or an inline function: each has its own.
        if len(callees) == 1 and room_of(callees[0]) != room_of(caller):
            found.add(Call(caller, callees[0], name))
    return found


def upward(call: Call) -> bool:
    caller, callee = (floor_of(*room_of(path)) for path in (call.caller, call.callee))
    return caller is not None and callee is not None and callee > caller


def readable(names: list[str]) -> dict[str, str]:
    """The C++ form of mangled names."""
    if not names or not shutil.which("c++filt"):
        return {name: name for name in names}
    run = subprocess.run(["c++filt"], input="\n".join(names), text=True, capture_output=True, check=True)
    return dict(zip(names, run.stdout.splitlines()))


def calls(tree: Tree, build: Path | None):
    """Folders are layers: a function calls its own folder and lower ones.

    Read from the object files: a symbol that is undefined in one object and defined in another is a
    call, whatever it is used for (a function, a variable, a table of virtual functions). An inline
    function and an instance of a template belong to each object that has a copy, and what they call
    is called by that object's source. A weak symbol that only one object defines, such as the table
    of virtual functions of a class, belongs to the source of that object. Calls through a pointer or
    a virtual function are not seen: an interface is how a lower folder may reach a higher one.
    """
    wrong = {call for call in all_calls(tree, need_build(build)) if upward(call)}
    names = readable(sorted({call.symbol for call in wrong}))
    for caller, callee, symbol in sorted({(c.caller, c.callee, names[c.symbol]) for c in wrong}):
        rooms = (room_of(path)[1] for path in (caller, callee))
        yield Violation(caller, 1, "{} is below {}, but calls {} of {}".format(*rooms, symbol, callee))

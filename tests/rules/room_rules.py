"""Which folder may include which, how many files a folder has, and how short a file may be."""

import re
from fnmatch import fnmatch
from pathlib import Path

from source_tree import Tree, Violation

# The folders of each tree, the lowest first. A file includes its own folder and lower ones; a header
# and its source are in one folder, so that there can be no cycle of folders. Folders that are joined
# by + are on one floor and may include each other: a device of a plugin prepares the kernels that
# compute on it. The core has no such pair.
FLOORS = {
    "core": """
        base output
        runtime/trace runtime/search runtime/plugin runtime/probe runtime/device runtime/stream runtime/memory runtime/kernel
        runtime/copy runtime/graph runtime/validation runtime/registry runtime/api
        tensor/base tensor/dispatch tensor/fuse tensor/autograd tensor/products tensor/ops tensor/functional tensor/updates tensor/interop tensor/print
        tensor/api tensor/call distributed
        nn nn/module nn/layers nn/files nn/data nn/training nn/parallel nn/trainer""".split(),
    "kit": ". machine library expression executor portable+portable/elementwise+portable/products device card/api card/device+card/kernels".split(),
    "conformance": ".+values+kernels".split(),
    "plugins/cpu-openblas": "arguments threads simd+simd/rows onednn products+fused+kernels+windows+rows device".split(),
    "plugins/opencl": "api device+kernels".split(),
    "plugins/cuda-cublas": "api device".split(),
    "plugins/hip": "api device".split(),
    "plugins/fake": "device+kernels".split(),
}
MOST_FILES = 25
EXEMPT_FOLDERS = ("include/patchbay",)
SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".pbk", ".cl"}
FOLDERS = ("core", "include", "kit", "plugins", "conformance", "tools", "tests", "examples", "bench")
FEWEST_LINES = 30
REASONS = "tests/rules/short_files.txt"


def room_of(path: str) -> tuple[str, str] | None:
    """The tree and the folder of a file, or None if it is in no tree of FLOORS."""
    for root in FLOORS:
        if path.startswith(root + "/"):
            return root, Path(path[len(root) + 1 :]).parent.as_posix()
    return None


def floor_of(root: str, room: str) -> int | None:
    """How high the folder stands, or None if the table does not have it."""
    for floor, rooms_there in enumerate(FLOORS[root]):
        if room in rooms_there.split("+"):
            return floor
    return None


def rooms(tree: Tree, build: Path | None):
    """Folders are layers: a file includes its own folder and lower ones."""
    for path in tree.files(*FLOORS):
        root, room = room_of(path)
        floor = floor_of(root, room)
        if floor is None:
            yield Violation(path, 1, f"{root}/{room} is no room: tests/rules/room_rules.py lists them")
            continue
        for include in tree.includes(path):
            target = tree.resolve(path, include)
            other = room_of(target) if target else None
            if other is None or other[0] != root:
                continue
            if (floor_of(*other) or 0) > floor:
                message = f"{room} is below {other[1]}, but includes {include.name}"
                yield Violation(path, include.line, message)


def folder_sizes(tree: Tree, build: Path | None):
    """A folder of sources has no more files than one can look through."""
    counts: dict[str, int] = {}
    for path in tree.files(*FOLDERS, suffixes=SUFFIXES):
        folder = Path(path).parent.as_posix()
        counts[folder] = counts.get(folder, 0) + 1
    for folder, count in counts.items():
        if count > MOST_FILES and folder not in EXEMPT_FOLDERS:
            yield Violation(folder, 1, f"{count} files: expected at most {MOST_FILES}")


def reasons(tree: Tree) -> list[tuple[str, str]]:
    """Pattern and reason of each line of the list."""
    lines = tree.text(REASONS).splitlines() if (tree.root / REASONS).is_file() else []
    pairs = [re.split(r"\s{2,}", line, maxsplit=1) for line in lines if line and line[0] != "#"]
    return [(pair[0], pair[1] if len(pair) == 2 else "") for pair in pairs]


def short_files(tree: Tree, build: Path | None):
    """A file that is hardly worth opening has a reason to be one."""
    listed = reasons(tree)
    used = set()
    for path in tree.files("core", "include", "kit", "plugins", "conformance", "tools"):
        if tree.text(path).count("\n") >= FEWEST_LINES:
            continue
        matching = [pattern for pattern, reason in listed if reason and fnmatch(path, pattern)]
        used.update(matching)
        if not matching:
            yield Violation(path, 1, f"under {FEWEST_LINES} lines, and without a reason in {REASONS}")
    for pattern, reason in listed:
        if pattern not in used:
            yield Violation(REASONS, 1, f"'{pattern}' has no reason or names no short file")

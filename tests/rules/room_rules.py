"""Which folder may include which."""

from pathlib import Path

from source_tree import Tree, Violation

# The folders of each tree, the lowest first. A file includes its own folder and lower ones, and calls
# only them (call_rules.py); a header and its source are in one folder. So there is no cycle of
# folders.
FLOORS = {
    "core": """
        base output
        runtime/trace runtime/search runtime/cache runtime/plugin runtime/probe runtime/device runtime/stream runtime/memory runtime/kernel
        runtime/copy runtime/graph runtime/validation runtime/registry
        tensor/base tensor/dispatch tensor/fuse tensor/views tensor/elementwise tensor/ops tensor/products tensor/functional
        tensor/updates tensor/interop tensor/print tensor/linalg tensor/transforms tensor/autograd tensor/kernel tensor/graph tensor/call distributed
        nn nn/module nn/layers nn/files nn/data nn/training nn/parallel nn/trainer""".split(),
    "kit": ". machine library expression executor portable/base portable/elementwise portable device card/api card/context card/kernels card/device".split(),
    "conformance": "reference support values kernels .".split(),
    "plugins/cpu-openblas": "operands threads simd simd/loops simd/selection onednn products kernels convolution normalization factors transforms operators fused device".split(),
    "plugins/opencl": "api context kernels device".split(),
    "plugins/cuda-cublas": "api device".split(),
    "plugins/hip": "api device".split(),
    "plugins/mpi": "library engine".split(),
    "plugins/fake": "device".split(),
}


def room_of(path: str) -> tuple[str, str] | None:
    """The tree and the folder of a file, or None if it is in no tree of FLOORS."""
    for root in FLOORS:
        if path.startswith(root + "/"):
            return root, Path(path[len(root) + 1 :]).parent.as_posix()
    return None


def floor_of(root: str, room: str) -> int | None:
    """How high the folder stands, or None if the table does not have it."""
    return FLOORS[root].index(room) if room in FLOORS[root] else None


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

"""Rules 1, 2, 3, 5 and 6: what the sources alone show. One function a rule."""

import re
from pathlib import Path

from source_tree import Tree, Violation

# --- 1 ---

LIBRARIES_OF_THE_CORE = re.compile(r"^(boost|fmt|nlohmann|CLI|gtest|gmock)/")


def plugin_includes(tree: Tree, build: Path | None):
    """A plugin includes plugin/ headers, kit/, itself and its vendor; the kit has no vendor."""
    for path in tree.files("plugins", "kit"):
        own = "kit/" if path.startswith("kit/") else "/".join(path.split("/")[:2]) + "/"
        for include in tree.includes(path):
            target = tree.resolve(path, include)
            if target is None:
                # patchbay_embed_text makes headers of the plugin's own texts in the build folder.
                own_text = include.quoted and include.name.endswith(".text.h")
                foreign = include.quoted and not own_text or include.name.startswith(("patchbay/", "core/"))
                foreign = foreign or LIBRARIES_OF_THE_CORE.match(include.name)
            else:
                allowed = ("include/patchbay/plugin/", "kit/", own)
                foreign = not target.startswith(allowed)
            if foreign:
                yield Violation(
                    path,
                    include.line,
                    f"a plugin includes patchbay/plugin/, kit/, itself and its vendor, "
                    f"not {include.name}",
                )


# --- 2 ---

VENDOR_WORDS = set(
    """amd blis clblast cublas cublaslt cuda cudart cudnn cufft cusolver cusparse cutlass dnnl hip
    hipblas hipblaslt hiprtc intel levelzero metal miopen mkl mps nccl nvcc nvidia nvml nvrtc
    oneapi onednn openblas opencl ptx rccl rocblas rocm rocsolver rusticl pocl sycl vulkan""".split()
)
LONGEST_VENDOR_WORD = max(map(len, VENDOR_WORDS))
WORD_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def vendor_word_in(identifier: str) -> str | None:
    """The vendor word among the parts of an identifier; neighbours are joined, for 'cuBLAS' and
    'OpenCL' have an inner capital."""
    parts = [part.lower() for part in WORD_PARTS.findall(identifier)]
    for first in range(len(parts)):
        joined = ""
        for part in parts[first:]:
            joined += part
            if joined in VENDOR_WORDS:
                return joined
            if len(joined) > LONGEST_VENDOR_WORD:
                break
    return None


def vendor_words(tree: Tree, build: Path | None):
    """The core and the public headers know no vendor; the build lists no plugin."""
    exempt = "include/patchbay/plugin/kernels/"
    sources = [p for p in tree.files("core", "include") if not p.startswith(exempt)]
    for path in sources:
        if word := vendor_word_in(path):
            yield Violation(path, 1, f"the file's name has the vendor word '{word}'")
    lists = [*tree.files("core", "cmake", suffixes={".txt", ".cmake"}), "CMakeLists.txt"]
    for path in [*sources, *(p for p in lists if (tree.root / p).exists())]:
        code = tree.code(path) if path in sources else re.sub(r"#.*", "", tree.text(path))
        for number, line in enumerate(code.splitlines(), 1):
            for identifier in re.findall(r"\w+", line):
                if word := vendor_word_in(identifier):
                    yield Violation(path, number, f"'{identifier}' has the vendor word '{word}'")


# --- 3 ---


def leads_to(tree: Tree, path: str, forbidden: tuple, seen: set) -> bool:
    """Whether the file is, or includes at any depth, one whose path starts as told."""
    if path.startswith(forbidden):
        return True
    if path in seen or not (tree.root / path).is_file():
        return False
    seen.add(path)
    targets = (tree.resolve(path, include) for include in tree.includes(path))
    return any(target and leads_to(tree, target, forbidden, seen) for target in targets)


NETWORKS = ("core/nn/", "include/patchbay/nn")
TENSORS = ("core/tensor/", "include/patchbay/tensor.h", *NETWORKS)
LAYERS = [  # folder, what it must not reach at any depth, why
    ("core/runtime/", TENSORS, "the runtime knows no tensor"),
    ("core/tensor/", NETWORKS, "tensors know no networks"),
    ("include/", ("core/",), "public headers know no sources"),
]


def layers(tree: Tree, build: Path | None):
    """Runtime, tensors and networks depend in one direction; public headers stand alone."""
    for path in tree.files("core", "include"):
        users_header = path.startswith("include/") and "/patchbay/plugin/" not in path
        for include in tree.includes(path):
            target = tree.resolve(path, include) or include.name
            for folder, deep, why in LAYERS:
                if path.startswith(folder) and leads_to(tree, target, deep, set()):
                    yield Violation(path, include.line, f"{why}, but this reaches {include.name}")
            boundary = target.startswith(("include/patchbay/plugin/", "patchbay/plugin/"))
            if users_header and boundary:
                yield Violation(path, include.line, "users' headers never include plugin/")
            if path.startswith("core/tensor/") and boundary and "/plugin/kernels/" not in target:
                yield Violation(
                    path, include.line, "of plugin/ the tensors may include plugin/kernels/ alone"
                )


# --- 5 ---

OPENS = re.compile(r"\bdlm?open\s*\(|\bboost\s*::\s*dll\b|#\s*include\s*<boost/dll[^>]*>?")
MAY_OPEN = re.compile(r"core/runtime/plugin/loader\w*\.(cpp|h)|kit/library/library\.cpp")
COPIES = re.compile(r"(->|\.)\s*copy_(to_device|to_host|on_device|to_peer)\s*\(")
# Validation stands between copy.cpp and the plugin, and writes and reads the bytes around memory.
MAY_COPY = re.compile(r"core/runtime/(copy/copy|validation/entries|validation/guard)\.cpp")


def single_places(tree: Tree, build: Path | None):
    """Libraries are opened, and copies called, in one place each."""
    sources = list(tree.files("core", "include", "kit", "plugins"))
    yield from tree.find(
        OPENS,
        [p for p in sources if not MAY_OPEN.fullmatch(p)],
        "libraries are opened by the loader and by kit/library alone, not here: {}",
    )
    yield from tree.find(
        COPIES,
        [p for p in sources if p.startswith("core/") and not MAY_COPY.fullmatch(p)],
        "copies are called in core/runtime/copy/copy.cpp alone, not here: {}",
    )


# --- 6 ---

# The process's abort has no operands; that of a group of devices says why.
NOISE = re.compile(
    r"(?<![\w.])(?<!->)(?:v?f?d?printf|f?puts|f?putc|putchar|perror|exit|_exit|_Exit|quick_exit"
    r"|terminate|assert|__builtin_trap|__builtin_abort)\s*\(|(?<![\w.])(?<!->)abort\s*\(\s*\)"
    r"|\braise\s*\(\s*SIG"
    r"|\b(?:std\s*::\s*)?(?:cout|cerr|clog)\b|\bfmt\s*::\s*print\w*"
    r"|\bstd(?:out|err)\b|\bSTD(?:OUT|ERR)_FILENO\b"
)


def silence(tree: Tree, build: Path | None):
    """Nothing below tools and examples prints, aborts or exits."""
    sources = tree.files("core", "include", "kit", "plugins")
    yield from tree.find(NOISE, sources, "a library never prints, aborts or exits: {}")

"""The rule on what git tracks: sources, no outputs of a build or a run, and no large files."""

import re
import shutil
import subprocess
from pathlib import Path

from build_rules import Skip
from source_tree import Tree, Violation

MOST_BYTES = 300_000
# What compilers, interpreters and test runs leave, and the files that the demo writes.
OUTPUT = re.compile(r"\.(o|a|so(\.[\d.]+)?|gch|pyc|log|prof(raw|data)|gcda|gcno|orig|rej|swp)$"
                    r"|(^|/)(model\.safetensors|loss\.svg|log\.csv|trace\.json|core)$")

# Plugins of released versions, which are never compiled again.
KEPT = "tests/boundary/kept/"


def files_of(tree: Tree, *options: str) -> list[str]:
    if not shutil.which("git"):
        raise Skip("no git here")
    # An archive of the sources may lie inside another repository: only its own index counts.
    run = subprocess.run(["git", "-C", str(tree.root), "rev-parse", "--show-toplevel"],
                         text=True, capture_output=True)
    if run.returncode != 0 or Path(run.stdout.strip()).resolve() != tree.root.resolve():
        raise Skip(f"{tree.root} is no git repository: {run.stderr.strip() or 'a folder of another'}")
    names = subprocess.run(["git", "-C", str(tree.root), "ls-files", "-z", *options],
                           text=True, capture_output=True, check=True).stdout
    return [name for name in names.split("\0") if name]


def tracked_files(tree: Tree, build):
    """No tracked file is an output, is ignored by .gitignore, or is larger than 300 KB."""
    for name in files_of(tree, "--cached", "--ignored", "--exclude-standard"):
        yield Violation(name, 1, "is tracked although .gitignore ignores it: an output?")
    for name in files_of(tree):
        path = tree.root / name
        if OUTPUT.search(name) and not name.startswith(KEPT):
            yield Violation(name, 1, "is the output of a build or a run: git rm it")
        if path.is_file() and path.stat().st_size > MOST_BYTES:
            yield Violation(name, 1, f"has {path.stat().st_size:,} bytes; {MOST_BYTES:,} are allowed")

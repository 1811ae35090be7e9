#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The patches of this folder add the operators that docs/adding-an-operator.md walks through.

  check_patches.py ROOT

Checks that each of them applies to the sources in ROOT, and all of them one after the other; that none
changes more production files than its limit; and that the page's section on it names its files.
"""

import pathlib
import re
import shutil
import subprocess
import sys

PRODUCTION = ("core/", "include/", "kit/", "plugins/", "tools/", "conformance/kernels/")
REFERENCES = "conformance/reference/"  # what tests and conformance checks compare with
LIMITS = {"elementwise": 2, "reduction": 6, "attributes": 6, "function": 2}
PAGE = "docs/adding-an-operator.md"
SKIPPED = 77


def files_of(patch: str) -> set[str]:
    return set(re.findall(r"^diff --git a/\S+ b/(\S+)$", patch, re.M))


def named_in(page: str, name: str) -> set[str]:
    """The files in backquotes in the section that names the patch."""
    sections = [text for text in page.split("\n## ") if f"tests/patches/{name}.patch" in text]
    return set(re.findall(r"`((?:tests/|%s)[^`\s]*\.(?:cpp|hpp|h))`" % "|".join((REFERENCES, *PRODUCTION)),
                          "".join(sections)))


def problems_of(name: str, patch: str, page: str) -> list[str]:
    files = {file for file in files_of(patch) if not file.startswith("docs/")}
    production = sorted(file for file in files if file.startswith(PRODUCTION))
    problems = []
    if len(production) > LIMITS[name]:
        problems.append(f"{name}.patch changes {len(production)} production files: expected "
                        f"{LIMITS[name]} at most, got {', '.join(production)}")
    problems += [f"{PAGE} does not name {file}, which {name}.patch changes"
                 for file in sorted(files - named_in(page, name))]
    problems += [f"{PAGE} names {file}, which {name}.patch does not change"
                 for file in sorted(named_in(page, name) - files)]
    return problems


def refusal(root: pathlib.Path, names: list[str]) -> list[str]:
    """Why git does not apply them to the sources."""
    folder = pathlib.Path(__file__).resolve().parent
    done = subprocess.run(["git", "apply", "--check", *(str(folder / f"{name}.patch") for name in names)],
                          cwd=root, capture_output=True, text=True)
    return [f"{' + '.join(names)}: {done.stderr.strip()}"] if done.returncode else []


def main() -> int:
    if shutil.which("git") is None:
        print("skipped: no git here, which applies the patches")
        return SKIPPED
    root = pathlib.Path(sys.argv[1])
    page = (root / PAGE).read_text(encoding="utf-8")
    problems = []
    for name in LIMITS:
        patch = (pathlib.Path(__file__).parent / f"{name}.patch").read_text(encoding="utf-8")
        problems += problems_of(name, patch, page) + refusal(root, [name])
    problems += refusal(root, list(LIMITS))
    print("\n".join(problems) or f"{len(LIMITS)} patches apply, and {PAGE} names their files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

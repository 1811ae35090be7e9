# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""README.md is short enough to be read, and docs/README.md is the index: each page of docs/ is in it."""

import pathlib
import re
import sys

MOST_LINES = 150


def main():
    root = pathlib.Path(sys.argv[1])
    problems = []
    num_lines = len((root / "README.md").read_text().splitlines())
    if num_lines > MOST_LINES:
        problems.append(f"README.md has {num_lines} lines; {MOST_LINES} are allowed")
    index = (root / "docs/README.md").read_text()
    linked = set(re.findall(r"\]\(([\w-]+\.md)", index))
    for page in sorted((root / "docs").glob("*.md")):
        if page.name != "README.md" and page.name not in linked:
            problems.append(f"docs/README.md, the index, lacks {page.name}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

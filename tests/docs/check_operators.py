#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""docs/operator-table.md and the tables of operators in docs/plugin-abi.md and docs/adding-a-plugin.md
are what the operators' table and the conformance suite say.

  check_operators.py SOURCE_DIR PROGRAM [--write]

PROGRAM is operators_page of this folder, in the build's test-bin.
"""

import difflib
import pathlib
import subprocess
import sys

BEGIN = "<!-- The rows are made by tests/docs/check_operators.py --write. -->\n"
END = "<!-- The end of what is made. -->\n"


def made_by(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def with_table(page, table):
    """The page with the table between its two marks."""
    before, rest = page.split(BEGIN)
    return before + BEGIN + table + END + rest.split(END)[1]


def main():
    docs, program = pathlib.Path(sys.argv[1]) / "docs", sys.argv[2]
    boundary, author = docs / "plugin-abi.md", docs / "adding-a-plugin.md"
    pages = {
        docs / "operator-table.md": made_by(program),
        boundary: with_table(boundary.read_text(), made_by(program, "--boundary")),
        author: with_table(author.read_text(), made_by(program, "--required")),
    }
    differences = []
    for page, made in pages.items():
        if "--write" in sys.argv:
            page.write_text(made)
        differences += difflib.unified_diff(page.read_text().splitlines(), made.splitlines(),
                                            str(page), "the operators' table", lineterm="")
    print("\n".join(differences) or "the pages agree with the operators' table and the suite")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""docs/operators.md is what the operators' records say.

  check_operators.py SOURCE_DIR PROGRAM [--write]

PROGRAM is operators_page of this folder, in the build's test-bin.
"""

import difflib
import pathlib
import subprocess
import sys


def main():
    page = pathlib.Path(sys.argv[1]) / "docs" / "operators.md"
    made = subprocess.run([sys.argv[2]], check=True, capture_output=True, text=True).stdout
    if "--write" in sys.argv:
        page.write_text(made)
        return 0
    difference = list(difflib.unified_diff(page.read_text().splitlines(), made.splitlines(),
                                           str(page), "records", lineterm=""))
    print("\n".join(difference) or "docs/operators.md agrees with the records")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())

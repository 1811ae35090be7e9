#!/usr/bin/env python3
"""Writes one row of `scripts/test --all` to the table of docs/status.md; the other rows stay.

  status_row.py FILE NAME WHAT RESULT WHEN SECONDS
"""

import sys
from pathlib import Path

BEGIN = "<!-- scripts/test --all: begin -->"
END = "<!-- scripts/test --all: end -->"
HEAD = ["| row | what | result | when | seconds |", "| --- | --- | --- | --- | --- |"]


def merge(text: str, cells: list[str]) -> str:
    """`text` with this row in its table; it replaces a row with the same first cell."""
    if BEGIN not in text:
        text = text.rstrip("\n") + f"\n\n{BEGIN}\n{END}\n"
    before, rest = text.split(BEGIN, 1)
    if END not in rest:
        raise ValueError(f"[status_row] '{BEGIN}' has no '{END}' after it")
    table, after = rest.split(END, 1)
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    rows = rows[len(HEAD) :] if rows[: len(HEAD)] == HEAD else []
    row = "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"
    same = [i for i, line in enumerate(rows) if line.startswith(f"| {cells[0]} |")]
    if same:
        rows[same[0]] = row
    else:
        rows.append(row)
    return before + "\n".join([BEGIN, *HEAD, *rows, END]) + after


def main() -> int:
    if len(sys.argv) != 7:
        print(__doc__, file=sys.stderr)
        return 2
    path = Path(sys.argv[1])
    text = path.read_text(encoding="utf-8") if path.exists() else "# Status\n"
    path.write_text(merge(text, sys.argv[2:]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

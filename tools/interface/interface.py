#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The record of public functions, made from the public headers. README.md of this folder describes it.

  interface.py ROOT           says where the record and what is made from it differ from the headers
  interface.py ROOT --write   writes them
"""

import json
import pathlib
import sys

from call_table import TABLE, Table
from functions_page import PAGE, Page
from record import Builder, Refusal, written
from source import Unreadable

FUNCTIONS = "tools/interface/record/functions.json"
TYPES = "tools/interface/record/types.json"


def made_from(root: pathlib.Path) -> dict[str, str]:
    """The text of each file that is made."""
    builder = Builder(root / "include")
    record = builder.record()
    table = Table(record, builder.signatures).text()
    page = Page(root, record).text()
    functions = {"functions": record.pop("functions")}
    return {FUNCTIONS: written(functions, 0) + "\n", TYPES: written(record, 0) + "\n", TABLE: table,
            PAGE: page}


def difference_of(path: str, kept: str, made: str) -> list[str]:
    """What is not as it has to be in one file; the names, for a record."""
    if kept == made:
        return []
    if not path.endswith(".json") or not kept:
        return [f"{path} is not what the headers say"]
    before, after = json.loads(kept), json.loads(made)
    differences = []
    for part in sorted({*before, *after}):
        old, new = before.get(part, {}), after.get(part, {})
        differences += [f"{path} lacks {name}, which {new[name]['header']} declares" for name in new if name not in old]
        differences += [f"{path} has {name}, which no header declares" for name in old if name not in new]
        differences += [f"{path} says another thing of {name} than {new[name]['header']}"
                        for name in new if name in old and old[name] != new[name]]
    return differences or [f"{path} has another layout"]


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    try:
        made = made_from(root)
    except (Unreadable, Refusal) as error:
        print(error)
        return 1
    differences = []
    for path, text in made.items():
        file = root / path
        if "--write" in sys.argv:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        differences += difference_of(path, file.read_text() if file.is_file() else "", text)
    print("\n".join(differences) or f"{', '.join(made)} agree with the headers")
    if differences:
        print("`python3 tools/interface/interface.py . --write` writes them.")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())

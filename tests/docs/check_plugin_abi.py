# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""docs/plugin-abi.md maps every entry of the boundary's tables, and nothing else."""

import pathlib
import re
import sys


def entries_of_header(text):
    """{table: set of entries}, from the structs of tables.h."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    tables = {}
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\n\} \1;", text, flags=re.S):
        # An entry is a member; what stands inside its parameters is not.
        flat = re.sub(r"\s+", " ", body)
        members = [member for member in flat.split(";") if "(*" in member]
        tables[name] = {re.search(r"\(\*(\w+)\)", member).group(1) for member in members}
    return tables


def entries_of_document(text):
    """{heading: set of entries}, from the rows of the chapter 'Entries'."""
    chapter = text.split("\n## Entries\n")[1].split("\n## ")[0]
    found = {}
    for section in chapter.split("\n### ")[1:]:
        heading, body = section.split("\n", 1)
        found[heading.strip()] = set(re.findall(r"^\| `(\w+)`", body, flags=re.M))
    return found


def problems_of_notes(header, document):
    """Every type of note has a row with its number, and every row a type."""
    types = dict(re.findall(r"#define (PATCHBAY_NOTE_\w+) (\d+)u\n", header))
    chapter = document.split("\n## Notes\n")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `(PATCHBAY_NOTE_\w+)` \| (\d+) \|", chapter, flags=re.M))
    return [f"the header has {name} {types.get(name)}, the chapter 'Notes' {rows.get(name)}"
            for name in sorted(types.keys() | rows.keys()) if types.get(name) != rows.get(name)]


HEADINGS = {
    "Plugin": "patchbay_plugin",
    "Memory and copies": "patchbay_memory_table",
    "Streams": "patchbay_stream_table",
    "Events": "patchbay_event_table",
    "Kernels": "patchbay_kernel_table",
}


def main():
    root = pathlib.Path(sys.argv[1])
    header = entries_of_header((root / "include/patchbay/plugin/tables.h").read_text())
    page = (root / "docs/plugin-abi.md").read_text()
    document = entries_of_document(page)
    problems = problems_of_notes((root / "include/patchbay/plugin/abi.h").read_text(), page)
    for heading, table in HEADINGS.items():
        for entry in sorted(header[table] - document.get(heading, set())):
            problems.append(f"{table}.{entry} has no row under '{heading}'")
        for entry in sorted(document.get(heading, set()) - header[table]):
            problems.append(f"'{heading}' has a row for {entry}, which {table} lacks")
    for problem in problems:
        print(f"docs/plugin-abi.md: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

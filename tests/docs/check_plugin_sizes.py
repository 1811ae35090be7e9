#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Measures the plugins and the kit, and checks the table of docs/adding-a-plugin.md against the measure.

  check_plugin_sizes.py ROOT [--write]

A line of code is one that is neither blank nor comment. "Thin" is what every backend on a driver
with a run-time compiler must have: allocate, copy, compile, launch. A row may be off by a tenth;
thin backends may have THIN_LIMIT lines.
"""

import pathlib
import re
import sys

SUFFIXES = {".c", ".cl", ".cpp", ".h", ".hpp", ".pbk"}
THIN = {
    "opencl": ("allocator", "backend", "launcher", "module", "program", "stream"),
    "cuda-cublas": ("allocator", "compiler", "module", "portable_backend", "program", "stream"),
}
THIN_LIMIT = 720
TABLE = re.compile(r"(<!-- sizes: begin -->\n)(.*?)(<!-- sizes: end -->)", re.DOTALL)


def lines_of_code(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    return sum(1 for line in text.splitlines()
               if line.strip() and not line.strip().startswith("//"))


def measure(root):
    """{plugin: (all lines, thin lines or None)}, and the kit"""
    sizes = {}
    plugins = sorted(path.parent for path in (root / "plugins").glob("*/CMakeLists.txt"))
    for folder in [*plugins, root / "kit"]:
        counts = {path: lines_of_code(path) for path in folder.rglob("*")
                  if path.suffix in SUFFIXES}
        stems = THIN.get(folder.name)
        thin = sum(n for path, n in counts.items() if path.stem in stems) if stems else None
        sizes[folder.name] = (sum(counts.values()), thin)
    return sizes


def table_of(sizes):
    rows = ["| plugin | lines of code | of these allocate, copy, compile, launch |",
            "| --- | --- | --- |"]
    rows += [f"| `{name}` | {total} | {thin or '-'} |" for name, (total, thin) in sizes.items()]
    return "\n".join(rows) + "\n"


def is_near(said, measured):
    return abs(int(said) - measured) <= measured / 10


def problems(sizes, page):
    said = {m[1]: (m[2], m[3]) for m in re.finditer(r"\| `([\w-]+)` \| (\d+) \| (\d+|-) \|", page)}
    for name, (total, thin) in sizes.items():
        if name not in said:
            yield f"{name}: no row"
        elif not is_near(said[name][0], total):
            yield f"{name}: the page says {said[name][0]} lines, measured {total}"
        elif thin and not (said[name][1].isdigit() and is_near(said[name][1], thin)):
            yield f"{name}: the page says {said[name][1]} thin lines, measured {thin}"
        if thin and thin > THIN_LIMIT:
            yield f"{name}: {thin} lines to allocate, copy, compile and launch, limit {THIN_LIMIT}"
    for name in sorted(set(said) - set(sizes)):
        yield f"{name}: a row for no plugin"


def main():
    root = pathlib.Path(sys.argv[1])
    page_path = root / "docs" / "adding-a-plugin.md"
    page = page_path.read_text()
    found = TABLE.search(page)
    if not found:
        print("docs/adding-a-plugin.md has no table of sizes")
        return 1
    sizes = measure(root)
    if "--write" in sys.argv:
        page_path.write_text(TABLE.sub(lambda m: m[1] + table_of(sizes) + m[3], page))
        return 0
    print(table_of(sizes), end="")
    wrong = list(problems(sizes, found[2]))
    for problem in wrong:
        print(problem)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

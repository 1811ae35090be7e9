#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Measures the plugins and the kit, and checks the table of docs/adding-a-plugin.md against the measure.

  check_plugin_sizes.py ROOT [--write]

A line of code is one that is neither blank nor comment. "Own" is what a backend on a driver with a
run-time compiler writes itself: for opencl what allocates, copies, compiles and launches; for a plugin
on the layer for cards all but its tables of entries and its adapters of libraries. A row may be off by
a tenth; the own lines and each adapter have limits.
"""

import pathlib
import re
import sys

SUFFIXES = {".c", ".cl", ".cpp", ".h", ".hpp", ".pbk"}
THIN = ("allocator", "backend", "launcher", "module", "program", "stream")
TABLES = ("_api.hpp", "declarations_check.cpp")
ADAPTERS = ("blas", "blas_lt", "dnn", "management", "ranges", "solver")
OWN = {
    "opencl": (lambda path: path.stem in THIN, 720),
    "cuda-cublas": (lambda path: is_own(path), 900),
    "hip": (lambda path: is_own(path), 900),
}
ADAPTER_LIMIT = 250
TABLE = re.compile(r"(<!-- sizes: begin -->\n)(.*?)(<!-- sizes: end -->)", re.DOTALL)


def is_own(path):
    return not path.name.endswith(TABLES) and path.stem not in ADAPTERS


def lines_of_code(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    return sum(1 for line in text.splitlines()
               if line.strip() and not line.strip().startswith("//"))


def measure(root):
    """{plugin: (all lines, own lines or None)}, and the kit; {adapter: lines}"""
    sizes, adapters = {}, {}
    plugins = sorted(path.parent for path in (root / "plugins").glob("*/CMakeLists.txt"))
    for folder in [*plugins, root / "kit"]:
        counts = {path: lines_of_code(path) for path in folder.rglob("*")
                  if path.suffix in SUFFIXES}
        counted = OWN[folder.name][0] if folder.name in OWN else None
        own = sum(n for path, n in counts.items() if counted(path)) if counted else None
        sizes[folder.name] = (sum(counts.values()), own)
        for path, lines in counts.items():
            if folder.name in OWN and path.stem in ADAPTERS:
                name = f"{folder.name}/{path.stem}"
                adapters[name] = adapters.get(name, 0) + lines
    return sizes, adapters


def table_of(sizes):
    rows = ["| plugin | lines of code | its own |",
            "| --- | --- | --- |"]
    rows += [f"| `{name}` | {total} | {own or '-'} |" for name, (total, own) in sizes.items()]
    return "\n".join(rows) + "\n"


def is_near(said, measured):
    return abs(int(said) - measured) <= measured / 10


def problems(sizes, adapters, page):
    said = {m[1]: (m[2], m[3]) for m in re.finditer(r"\| `([\w-]+)` \| (\d+) \| (\d+|-) \|", page)}
    for name, (total, own) in sizes.items():
        if name not in said:
            yield f"{name}: no row"
        elif not is_near(said[name][0], total):
            yield f"{name}: the page says {said[name][0]} lines, measured {total}"
        elif own and not (said[name][1].isdigit() and is_near(said[name][1], own)):
            yield f"{name}: the page says {said[name][1]} own lines, measured {own}"
        if own and own > OWN[name][1]:
            yield f"{name}: {own} own lines, limit {OWN[name][1]}"
    for name, lines in adapters.items():
        if lines > ADAPTER_LIMIT:
            yield f"{name}: an adapter of {lines} lines, limit {ADAPTER_LIMIT}"
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
    sizes, adapters = measure(root)
    if "--write" in sys.argv:
        page_path.write_text(TABLE.sub(lambda m: m[1] + table_of(sizes) + m[3], page))
        return 0
    print(table_of(sizes), end="")
    wrong = list(problems(sizes, adapters, found[2]))
    for problem in wrong:
        print(problem)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

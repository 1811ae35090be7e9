#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Compares the layout of the plugin boundary with layout.txt: sizes of structs and tables, offsets
and sizes of their fields, values of their constants.

    check_layout.py ROOT [--write | --print]

A difference is a change of the binary interface. --write renews the file after a change that is wanted.
The layouts of released versions, kept/*/layout.txt, must stay true: fields may only be appended to
structs that begin with their size and to the note, or take reserved bytes, and constants may only be
added (docs/plugin-abi.md). Exits 77 without a C compiler.
"""
import difflib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HEADERS = ("types.h", "host.h", "properties.h", "tables.h", "extensions.h", "abi.h",
           "collective.h")


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def field_name(declaration):
    """`char pad[4]` -> pad, `int (*call)(void*)` -> call, `union { ... } value` -> value."""
    pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", declaration)
    if pointer and not declaration.lstrip().startswith("union"):
        return pointer.group(1)
    return re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", declaration).group(1)


def split_at_top(text, separator):
    parts, depth, part = [], 0, ""
    for char in text:
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(char, 0)
        if char == separator and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += char
    return [one for one in parts + [part] if one.strip()]


def field_names(declaration):
    """All names of `uint32_t a, b[3]`."""
    if "(" in declaration or "{" in declaration:
        return [field_name(declaration)]
    return [field_name(one) for one in split_at_top(declaration, ",")]


def body_after(text, start):
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start + 1 : at]
    raise ValueError("a brace is not closed")


def structs(text):
    for match in re.finditer(r"typedef struct (\w+) \{", text):
        body = body_after(text, match.end() - 1)
        names = [name for part in split_at_top(body, ";") for name in field_names(part)]
        yield match.group(1), names


def constants(text):
    for match in re.finditer(r"\benum\s*\w*\s*\{", text):
        for part in split_at_top(body_after(text, match.end() - 1), ","):
            name = re.match(r"\s*(PATCHBAY_\w+)\s*(?:=|$)", part)
            if name:
                yield name.group(1)


def program(headers):
    lines = ["#include <stddef.h>", "#include <stdio.h>", '#include "patchbay/plugin/abi.h"',
             '#include "patchbay/plugin/collective.h"', '#include "patchbay/plugin/extensions.h"', '#include "patchbay/plugin/properties.h"',
             "int main(void) {",
             '  printf("version %d.%d\\n", PATCHBAY_ABI_MAJOR, PATCHBAY_ABI_MINOR);',
             '  printf("symbol %s\\n", PATCHBAY_PLUGIN_SYMBOL);']
    for text in headers:
        for name, fields in structs(text):
            lines.append(f'  printf("\\n{name} %zu\\n", sizeof({name}));')
            for field in fields:
                lines.append(f'  printf("  {field} %zu %zu\\n", offsetof({name}, {field}), '
                             f"sizeof((({name}*)0)->{field}));")
        for name in constants(text):
            lines.append(f'  printf("{name} %lld\\n", (long long)({name}));')
    lines += ["#define PATCHBAY_PRINTED(name, printed, NAME, ...) \\",
              '  printf("PATCHBAY_" #NAME " %d\\n", (int)PATCHBAY_##NAME);',
              "  PATCHBAY_DTYPES(PATCHBAY_PRINTED)", "  return 0;", "}"]
    return "\n".join(lines) + "\n"


def layout(root, compiler):
    folder = root / "include/patchbay/plugin"
    headers = [without_comments((folder / name).read_text()) for name in HEADERS]
    with tempfile.TemporaryDirectory() as scratch:
        source, binary = pathlib.Path(scratch, "layout.c"), pathlib.Path(scratch, "layout")
        source.write_text(program(headers))
        subprocess.run([compiler, "-std=c11", "-w", f"-I{root}/include", source, "-o", binary],
                       check=True)
        return subprocess.run([binary], check=True, capture_output=True, text=True).stdout


def parsed(text):
    """The symbol, {struct: (size, {field: (offset, size)})} and {constant: value} of a list."""
    symbol, found, numbers, fields = "", {}, {}, {}
    for line in text.splitlines():
        words = line.split()
        if not words or words[0] == "version":
            continue
        if words[0] == "symbol":
            symbol = words[1]
        elif line.startswith("  "):
            fields[words[0]] = (int(words[1]), int(words[2]))
        elif words[0].startswith("PATCHBAY_"):
            numbers[words[0]] = int(words[1])
        else:
            fields = {}
            found[words[0]] = (int(words[1]), fields)
    return symbol, found, numbers


def stay_apart(place, fields):
    """Whether the fields that begin or end in reserved bytes lie in them."""
    begin, end = place[0], sum(place)
    return all(at + size <= begin or at >= end or (begin <= at and at + size <= end)
               for at, size in fields.values())


def broken_promises(kept, now):
    """What a plugin that was built with the layout `kept` would misunderstand."""
    (kept_symbol, kept_structs, kept_numbers), (symbol, now_structs, numbers) = kept, now
    if symbol != kept_symbol:
        yield f"the symbol is {symbol}, was {kept_symbol}"
    for name, (size, fields) in kept_structs.items():
        now_size, now_fields = now_structs.get(name, (0, {}))
        may_grow = next(iter(fields), "") == "size" or name == "patchbay_note"
        if now_size < size or (now_size > size and not may_grow):
            yield f"{name} has {now_size} bytes, had {size}"
        for field, place in fields.items():
            if re.fullmatch(r"reserved\d*", field) and stay_apart(place, now_fields):
                continue
            if now_fields.get(field) != place:
                yield f"{name}.{field} has offset and size {now_fields.get(field)}, had {place}"
    for name, value in kept_numbers.items():
        if numbers.get(name) != value:
            yield f"{name} is {numbers.get(name)}, was {value}"


def main():
    root = pathlib.Path(sys.argv[1])
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        print("no C compiler")
        return 77
    found = layout(root, compiler)
    kept = root / "tests/boundary/layout.txt"
    if "--write" in sys.argv[2:]:
        kept.write_text(found)
        return 0
    if "--print" in sys.argv[2:]:
        print(found, end="")
        return 0
    major = re.search(r"^version (\d+)", found, re.MULTILINE).group(1)
    broken = [f"{path.parent.name}: {promise}"
              for path in sorted((root / "tests/boundary/kept").glob(f"{major}.*/layout.txt"))
              for promise in broken_promises(parsed(path.read_text()), parsed(found))]
    for promise in broken:
        print(f"plugins of version {promise}")
    difference = list(difflib.unified_diff(kept.read_text().splitlines(), found.splitlines(),
                                           "tests/boundary/layout.txt", "the headers", lineterm=""))
    for line in difference:
        print(line)
    if difference:
        print("The boundary has changed: check_layout.py ROOT --write, once that is wanted")
    return 1 if difference or broken else 0


if __name__ == "__main__":
    sys.exit(main())

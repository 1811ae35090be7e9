#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""include/patchbay/elementwise.h and the table of docs/operators.md are what the records say.

  check_elementwise.py ROOT [--write]

The records are in include/patchbay/plugin/kernels/elementwise.h.
"""

import difflib
import pathlib
import re
import sys

RECORDS = "include/patchbay/plugin/kernels/elementwise.h"
BEGIN = "<!-- The rows are made by tests/docs/check_elementwise.py --write. -->\n"
END = "<!-- The end of what is made. -->\n"
FAMILIES = {"BINARY": "Arithmetic", "UNARY": "Functions", "COMPARE": "Comparison", "TEST": "Tests",
            "LOGIC": "Logic"}
DTYPES = {"NUMBERS": "numbers", "FLOATS": "floats", "ALL": "any"}
PREFACE = """\
// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The elementwise functions. tests/docs/check_elementwise.py --write makes this file from the
// operators' records (plugin/kernels/elementwise.h). ops.h states the rules for all operations.
//
// Floats are f32, f64, f16 and bf16; numbers are floats, i32, i64 and u8. f16 and bf16 are computed
// in f32 and rounded once.
#ifndef PATCHBAY_ELEMENTWISE_H_
#define PATCHBAY_ELEMENTWISE_H_

#include "patchbay/export.h"
#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

namespace patchbay {

class PATCHBAY_API Expression;  // of fuse.h

// The other forms of a function: into a tensor, and in a fused expression.
#define PATCHBAY_BINARY_FORMS(name)                                                           \\
  PATCHBAY_API const Tensor& name##_out(const Tensor& out, const Tensor& a, const Tensor& b); \\
  PATCHBAY_API const Tensor& name##_out(const Tensor& out, const Tensor& a, const Scalar& b); \\
  PATCHBAY_API const Tensor& name##_out(const Tensor& out, const Scalar& a, const Tensor& b); \\
  [[nodiscard]] PATCHBAY_API Expression name(const Expression& a, const Expression& b);       \\
  [[nodiscard]] PATCHBAY_API Expression name(const Expression& a, const Scalar& b);           \\
  [[nodiscard]] PATCHBAY_API Expression name(const Scalar& a, const Expression& b);
#define PATCHBAY_UNARY_FORMS(name)                                           \\
  PATCHBAY_API const Tensor& name##_out(const Tensor& out, const Tensor& a); \\
  [[nodiscard]] PATCHBAY_API Expression name(const Expression& a);
"""
EPILOGUE = """
#undef PATCHBAY_BINARY_FORMS
#undef PATCHBAY_UNARY_FORMS

}  // namespace patchbay

#endif  // PATCHBAY_ELEMENTWISE_H_
"""


def table(text, name):
    """The macro's text in one line."""
    body = re.search(rf"#define PATCHBAY_ELEMENTWISE_{name}\(X\)((?:.*\\\n)*.*\n)", text).group(1)
    return re.sub(r"\s*\\\n\s*", " ", body)


def records(text):
    """(family, name, whether there are two operands, dtypes, formula, the second operand if it may
    be left out) of each function."""
    notes = re.findall(r'X\((\w+), [\d.]+, \d+, "([^"]*)"', table(text, "NOTES"))
    formulas = dict(notes)
    defaults = dict(re.findall(r"X\((\w+), ([\d.]+)\)", table(text, "DEFAULTS")))
    for macro, family in FAMILIES.items():
        for name, second in re.findall(r"\bX\((\w+), (\w+),", table(text, macro)):
            is_binary = macro in ("BINARY", "COMPARE") or second == "2"
            dtypes = "bool" if macro == "LOGIC" else DTYPES[second]
            yield family, name, is_binary, dtypes, formulas[name], defaults.get(name)


def declaration(name, is_binary, dtypes, formula, default):
    start = f"[[nodiscard]] PATCHBAY_API Tensor {name}("
    operands = [("Tensor", "Tensor"), ("Tensor", "Scalar"), ("Scalar", "Tensor")]
    lines = [f"{start}const {a}& a, const {b}& b);" for a, b in operands]
    if not is_binary:
        lines = [f"{start}const Tensor& a);"]
    sentence = re.sub("^(the|whether) ", lambda word: word.group().capitalize(), formula)
    comment = f"/// {sentence}. Dtypes: {dtypes}."
    if len(comment) > 100:
        sys.exit(f"{RECORDS}: the formula of {name} is too long for a comment of one line")
    forms = "BINARY" if is_binary else "UNARY"
    lines.append(f"PATCHBAY_{forms}_FORMS({name})")
    if default:  # declared again, with it
        lines[1] = lines[1].replace("b);", f"b = {default});")
        into = f"PATCHBAY_API const Tensor& {name}_out("
        given = f"const Scalar& b = {default});"
        first = f"{into}const Tensor& out, const Tensor& a,"
        fits = len(first) + 1 + len(given) <= 100
        lines += [f"{first} {given}"] if fits else [first, " " * len(into) + given]
        lines.append(f"[[nodiscard]] PATCHBAY_API Expression {name}(const Expression& a, {given}")
    return "\n".join([comment, *lines]) + "\n"


def header(rows):
    text, last = PREFACE, None
    for family, *row in rows:
        if family != last:
            result = "; the result is bool" if family in ("Comparison", "Tests") else ""
            text += f"\n// {family}{result}.\n"
        text, last = text + declaration(*row), family
    return text + EPILOGUE


def page(text, rows):
    """The page with the table between its two marks."""
    before, rest = text.split(BEGIN)
    lines = ["| function | gives | dtypes |", "| --- | --- | --- |"]
    for _, name, is_binary, dtypes, formula, default in rows:
        cell = formula.replace("|", "\\|")
        operands = "a" if not is_binary else f"a, b = {default}" if default else "a, b"
        lines.append(f"| `{name}({operands})` | {cell} | {dtypes} |")
    return before + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1]


def main():
    root = pathlib.Path(sys.argv[1])
    rows = list(records((root / RECORDS).read_text()))
    users_page = root / "docs/operators.md"
    made = {root / "include/patchbay/elementwise.h": header(rows),
            users_page: page(users_page.read_text(), rows)}
    differences = []
    for path, text in made.items():
        if "--write" in sys.argv:
            path.write_text(text)
        differences += difflib.unified_diff(path.read_text().splitlines(), text.splitlines(),
                                            str(path), RECORDS, lineterm="")
    print("\n".join(differences) or f"{len(rows)} functions agree with {RECORDS}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())

# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Finds the places of a source file where a small change is possible, and writes the change beside
the original code, so that mutant.h chooses one of them at run time."""

import re
from dataclasses import dataclass

PREFIX = "patchbay_mutants::"
NAMES = {"<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual",
         "==": "Equal", "!=": "NotEqual", "+": "Plus", "-": "Minus", "*": "Times", "/": "Over"}
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
         "+": "-", "-": "+", "*": "/"}
# clang-format puts spaces around binary operators, and none around those of templates and pointers.
BINARY = re.compile(r"(?<=[\w)\]]) (<=|>=|==|!=|<|>|\+|-|\*) (?=[\w(~!&\-])")
UNARY = re.compile(r"(?:(?<=[=,?:] )|(?<=return )|(?<=[(\[]))-(?=[A-Za-z_(])")
CONDITION = re.compile(r"\bif \(")
CALL = re.compile(r"^(\s+)((?:[A-Za-z_]\w*(?:::|\.|->))*[a-z_]\w*\(.*\));$")
# The compiler computes these, without a choice at run time.
CONSTANT = re.compile(r"^\s*(?:static |inline )*constexpr [^(]*=[^;]*;$")
RETURN = re.compile(r"^(\s+(?:if \(.*\) )?return )(true|false);$")
# Calls that reserve memory change speed alone.
NO_STATEMENT = re.compile(r"^\s*((return|throw|delete|static_assert|case|goto|co_\w+|using|else)\b|"
                          r"[\w.>-]*\breserve\()")


@dataclass(frozen=True)
class Site:
    """A change of one line. `kind` groups changes of one sort, `before` and `after` show it."""
    path: str
    line: int  # from 0
    kind: str
    before: str
    after: str
    code: str  # the new line, with {n} for the number

    def title(self) -> str:
        return f"{self.path}: {self.before.strip()}  =>  {self.after.strip()}"


def code_lines(text: str) -> list[str]:
    """The lines without comments, strings and directives, which become spaces of the same length."""
    text = re.sub(
        r'R"(\w*)\((?:.|\n)*?\)\1"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
        lambda match: re.sub(r"[^\n]", "\a", match[0]), text)
    lines, directive = [], False
    for line in text.split("\n"):
        directive = directive or line.lstrip().startswith("#")
        lines.append("\a" * len(line) if directive else line)
        directive = directive and line.endswith("\\")
    return lines


def closing(line: str, opening: int) -> int | None:
    """Where the parenthesis at `opening` closes, if that is on the line."""
    depth = 0
    for at in range(opening, len(line)):
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        if depth == 0:
            return at
    return None


def starts_statement(code: list[str], number: int) -> bool:
    before = next((line.replace("\a", " ").rstrip() for line in reversed(code[:number])
                   if line.replace("\a", " ").strip()), "")
    return before.endswith((";", "{", "}"))


def sites_of(path: str, text: str) -> list[Site]:
    found = []
    lines, code = text.split("\n"), code_lines(text)
    for number, (line, bare) in enumerate(zip(lines, code)):
        def add(kind, after, new):
            found.append(Site(path, number, kind, line, after, new))

        if "\a" in bare and bare.strip("\a") == "" or "template <" in bare or "operator" in bare:
            continue
        if CONSTANT.match(bare):
            continue
        for match in BINARY.finditer(bare):
            sign = match[1]
            other = SWAPS[sign]
            swap = f"{PREFIX}Swap<{{n}}, {PREFIX}{NAMES[sign]}, {PREFIX}{NAMES[other]}>()"
            head, tail = line[: match.start(1)], line[match.end(1):]
            add("bound" if sign in "<=>=" else "operator", f"{head}{other}{tail}",
                f"{escape(head)}{sign} {swap} {sign}{escape(tail)}")
        for match in UNARY.finditer(bare):
            head, tail = line[: match.start()], line[match.end():]
            add("sign", head + tail, f"{escape(head)}{PREFIX}Sign<{{n}}>() - {escape(tail)}")
        for match in CONDITION.finditer(bare):
            end = closing(bare, match.end() - 1)
            inner = bare[match.end(): end] if end else ""
            if not inner or ";" in inner or re.search(r"[^=!<>]=[^=]", inner):
                continue
            text_inside = line[match.end(): end]
            head, tail = line[: match.end()], line[end:]
            add("condition", f"{head}!({text_inside}){tail}",
                f"{escape(head)}{PREFIX}is({{n}}) != static_cast<bool>({escape(text_inside)}){escape(tail)}")
        if match := RETURN.match(bare):
            value = match[2]
            add("result", f"{line[: match.end(1)]}{'false' if value == 'true' else 'true'};",
                f"{escape(line[: match.end(1)])}{'!' if value == 'true' else ''}{PREFIX}is({{n}});")
        match = CALL.match(bare.replace("\a", "_"))
        if match and not NO_STATEMENT.match(bare) and starts_statement(code, number):
            opening = bare.index("(", len(match[1]))
            if closing(bare.replace("\a", "_"), opening) is not None:
                add("call", f"{match[1]}(left out)",
                    f"{match[1]}if (!{PREFIX}is({{n}})) {escape(line[len(match[1]):])}")
    return found


def escape(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def apply(text: str, numbered: list[tuple[int, Site]]) -> str:
    """The text with these changes, at most one of a line."""
    lines = text.split("\n")
    for number, site in numbered:
        lines[site.line] = site.code.format(n=number)
    return "\n".join(lines)

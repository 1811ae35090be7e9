# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The tokens of a public header: words, signs, comments. Macros of the headers are expanded."""

import pathlib
import re
from dataclasses import dataclass

PATTERN = re.compile(r"""
    (?P<space>\s+)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>\#(?!\#)(?:\\\n|[^\n])*)
  | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.'])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign>\#\#|::|->|\.\.\.|&&|\|\||[-+*/<>=!]=|[-+*/%<>=!&|^~?:;,.(){}\[\]])
""", re.X | re.S)


KEPT = ("PATCHBAY_API",)  # a mark of the declaration, not expanded


@dataclass
class Token:
    kind: str  # word, number, string, sign; doc: `///` on its own line; note: other comments
    text: str
    line: int
    is_first: bool = False  # on its line
    column: int = 0
    blank_before: bool = False  # an empty line stands between it and the token before


class Unreadable(Exception):
    """What the tool can't read, with the place."""

    def __init__(self, path: str, line: int, what: str):
        super().__init__(f"{path}:{line}: {what}")


def scan(text: str, path: str, first_line: int = 1) -> list[Token]:
    """All tokens but white space; directives too."""
    tokens, at, line, line_start, blank, is_first = [], 0, first_line, 0, False, True
    while at < len(text):
        found = PATTERN.match(text, at)
        if found is None:
            raise Unreadable(path, line, f"can't read {text[at:at + 20]!r}")
        kind, piece = found.lastgroup, found.group()
        if kind == "space":
            blank = blank or piece.count("\n") > 1
        else:
            if kind == "comment":
                kind = "doc" if piece.startswith("///") and is_first else "note"
            tokens.append(Token(kind, piece, line, is_first, at - line_start, blank))
            blank, is_first = False, False
        if "\n" in piece:
            line += piece.count("\n")
            line_start = at + piece.rindex("\n") + 1
            is_first = True
        at = found.end()
    return tokens


@dataclass
class Macro:
    parameters: list[str] | None  # None: without parentheses
    body: list[Token]


class Expander:
    """Expands the macros that headers define for their own declarations."""

    def __init__(self, include_dir: pathlib.Path):
        self.include_dir = include_dir
        self.macros: dict[str, Macro] = {}
        self.path = ""

    def tokens_of(self, path: str) -> list[Token]:
        """The tokens of a header, without directives, macros expanded."""
        self.path = path
        result, pending = [], []
        for token in scan((self.include_dir / path).read_text(), path):
            if token.kind != "directive":
                pending.append(token)
                continue
            result += self.expand(pending)
            pending = []
            self.obey(token)
        return result + self.expand(pending)

    def obey(self, directive: Token):
        text = directive.text.replace("\\\n", " ")
        found = re.match(r"#\s*define\s+(\w+)(\(([^)]*)\))?\s*(.*)", text, re.S)
        if found:
            name, has_list, names, body = found.groups()
            if name in KEPT:
                return
            parameters = [one.strip() for one in names.split(",")] if has_list else None
            self.macros[name] = Macro(parameters, scan(body.strip(), self.path, directive.line))
        elif re.match(r"#\s*undef\s", text):
            self.macros.pop(text.split()[1], None)
        elif not re.match(r"#\s*(include|if|ifdef|ifndef|else|endif|error|elif|pragma)\b", text):
            raise Unreadable(self.path, directive.line, f"unknown directive {text.split()[0]}")

    def expand(self, tokens: list[Token]) -> list[Token]:
        result, at = [], 0
        while at < len(tokens):
            token = tokens[at]
            macro = self.macros.get(token.text) if token.kind == "word" else None
            called = at + 1 < len(tokens) and tokens[at + 1].text == "("
            if macro is None or (macro.parameters is not None and not called):
                result.append(token)
                at += 1
                continue
            arguments, at = arguments_at(tokens, at + 1) if macro.parameters is not None else ([], at + 1)
            made = self.expand(substituted(macro, arguments, token))
            if made:
                made[0].blank_before = token.blank_before
                made[0].is_first = token.is_first
            result += made
        return result


def arguments_at(tokens: list[Token], at: int) -> tuple[list[list[Token]], int]:
    """The arguments in parentheses that begin at `at`, and the place behind them."""
    arguments, depth = [[]], 0
    for end in range(at + 1, len(tokens)):
        text = tokens[end].text
        if text == ")" and depth == 0:
            return arguments, end + 1
        depth += (text in "([{") - (text in ")]}")
        if text == "," and depth == 0:
            arguments.append([])
        else:
            arguments[-1].append(tokens[end])
    raise Unreadable("", tokens[at].line, "a macro's arguments have no end")


def substituted(macro: Macro, arguments: list[list[Token]], place: Token) -> list[Token]:
    names = macro.parameters or []
    values = dict(zip(names, arguments))
    if names and names[-1] == "...":
        rest = arguments[len(names) - 1:]
        joined = [token for i, one in enumerate(rest)
                  for token in ([Token("sign", ",", place.line)] if i else []) + one]
        values["__VA_ARGS__"] = joined
    result, pastes = [], False
    for token in macro.body:
        if token.text == "##":
            pastes = True
            continue
        pieces = [Token(one.kind, one.text, place.line) for one in values.get(token.text, [token])]
        if pastes and result and pieces:
            result[-1].text += pieces.pop(0).text
        pastes = False
        result += pieces
    return result

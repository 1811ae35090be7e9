# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The forms of declarations, and the texts of their tokens and comments."""

from dataclasses import dataclass, field

from source import Token

BRACKETS = {"(": ")", "[": "]", "{": "}"}


@dataclass
class Value:
    """A parameter or a field."""
    type: str
    name: str
    default: str | None = None
    doc: str = ""


@dataclass
class Function:
    name: str
    returns: str
    parameters: list[Value]
    doc: str
    template: str = ""
    is_static: bool = False
    is_deleted: bool = False
    is_virtual: bool = False
    follows: bool = False  # without an empty line or a comment after the declaration before


@dataclass
class Class:
    key: str  # struct or class
    name: str
    bases: list[str]
    doc: str
    template: str = ""
    fields: list[Value] = field(default_factory=list)
    constructors: list[Function] = field(default_factory=list)
    methods: list[Function] = field(default_factory=list)
    types: list = field(default_factory=list)  # Class, Enum, Alias


@dataclass
class Enum:
    name: str
    values: list[Value]
    doc: str


@dataclass
class Alias:
    name: str
    target: str
    doc: str


def spelled(tokens: list[Token]) -> str:
    """The tokens as one usually writes them."""
    text = ""
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else None
        if before is not None and needs_space(before, token, tokens[:i]):
            text += " "
        text += token.text
    return text


def needs_space(before: Token, token: Token, earlier: list[Token]) -> bool:
    wordy = token.kind in ("word", "number", "string")
    if before.kind in ("word", "number"):
        return wordy or token.text in ("/", "+", "-", "=")
    if before.text in ("&", "*", ">", "&&", "...", ")") and wordy:
        return before.text != "*" or token.kind == "word"
    if before.text == "-" and (len(earlier) < 2 or earlier[-2].kind == "sign"):
        return False
    return before.text in (",", "/", "+", "=", "||") and token.text != ")"


def text_of(comments: list[Token]) -> str:
    """The text of `///` lines: paragraphs as such, indented lines as they are."""
    text = ""
    for line in (comment.text[3:] for comment in comments):
        if not line.strip():
            text += "\n\n"
        elif line.startswith("   ") or (text.endswith("\n") and not text.endswith("\n\n")):
            text += ("" if text.endswith("\n") or not text else "\n") + line[1:] + "\n"
        else:
            text += ("" if text.endswith("\n") or not text else " ") + line.strip()
    return text.strip()


def split(tokens: list[Token], sign: str) -> list[list[Token]]:
    """The parts between signs outside of brackets; none of no tokens."""
    parts, depth = [[]], 0
    for i, token in enumerate(tokens):
        opens = token.text in BRACKETS or (token.text == "<" and i and tokens[i - 1].kind == "word")
        depth += opens - (token.text in BRACKETS.values() or (token.text == ">" and depth > 0))
        if token.text == sign and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts if tokens else []

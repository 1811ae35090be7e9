# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The declarations of a header. What has another form than those below is an error, never left out."""

from forms import BRACKETS, Alias, Class, Enum, Function, Value, spelled, split, text_of
from source import Token, Unreadable

# Namespaces that programs do not use, and the structs of DLPack's C interface.
INTERNAL = {"tensor", "runtime", "distributed", "fuse_detail", "module", "files", "data", "parallel", "dlpack"}
PUBLIC = {"patchbay", "nn", "init", "fft", "linalg"}
SPECIFIERS = {"inline", "constexpr", "static", "explicit", "virtual", "PATCHBAY_API"}


class Reader:
    """Reads one header's tokens into `found`: (namespace, declaration) pairs."""

    def __init__(self, tokens: list[Token], path: str):
        self.tokens, self.path, self.at = tokens, path, 0
        self.found: list[tuple[str, object]] = []

    # ---------------------------------------------------------------- tokens

    def peek(self, ahead: int = 0) -> Token | None:
        at = self.at
        while at < len(self.tokens):
            if self.tokens[at].kind not in ("note", "doc"):
                if ahead == 0:
                    return self.tokens[at]
                ahead -= 1
            at += 1
        return None

    def next(self) -> Token:
        while self.at < len(self.tokens) and self.tokens[self.at].kind in ("note", "doc"):
            self.at += 1
        if self.at == len(self.tokens):
            raise Unreadable(self.path, self.tokens[-1].line, "the file ends within a declaration")
        self.at += 1
        return self.tokens[self.at - 1]

    def fail(self, token: Token, what: str):
        raise Unreadable(self.path, token.line, f"can't read this {what} at '{token.text}'")

    def comments(self) -> list[Token]:
        """The `///` lines before the next declaration."""
        lines = []
        while self.at < len(self.tokens) and self.tokens[self.at].kind in ("note", "doc"):
            token = self.tokens[self.at]
            lines = lines + [token] if token.kind == "doc" else []
            self.at += 1
        return lines

    def trailing(self) -> str:
        """The comment behind a declaration, and its further lines in the same column."""
        lines, column = [], None
        while self.at < len(self.tokens) and self.tokens[self.at].kind == "note":
            token = self.tokens[self.at]
            if (column is None and token.is_first) or (column is not None and token.column != column):
                break
            column = token.column
            lines.append(token.text.lstrip("/").strip())
            self.at += 1
        text = " ".join(lines)
        return "" if text.startswith("NOLINT") else text

    def balanced(self, first: Token) -> list[Token]:
        """The tokens up to the bracket that closes `first`, which is read already."""
        inside, depth = [], 1
        while True:
            token = self.next()
            depth += (token.text in BRACKETS) - (token.text in BRACKETS.values())
            if depth == 0:
                return inside
            inside.append(token)

    def angles(self) -> list[Token]:
        """The tokens between < and >, the first of which is next."""
        self.next()
        inside, depth = [], 1
        while True:
            token = self.next()
            if token.text in BRACKETS:
                inside += [token, *self.balanced(token), Token("sign", BRACKETS[token.text], token.line)]
                continue
            depth += (token.text == "<") - (token.text == ">")
            if depth == 0:
                return inside
            inside.append(token)

    def skip_statement(self):
        """Up to ; or the end of a body."""
        while True:
            token = self.next()
            if token.text == ";":
                return
            if token.text in BRACKETS:
                self.balanced(token)
                following = self.peek()
                if token.text == "{" and (following is None or following.text not in (";", ",", "{", "(")):
                    return

    # ---------------------------------------------------------------- scopes

    def read(self):
        self.scope("")

    def scope(self, namespace: str):
        while True:
            comments = self.comments()
            token = self.peek()
            if token is None or token.text == "}":
                return
            if token.text == "namespace":
                self.namespace(namespace)
                continue
            made = self.declaration(comments, namespace)
            if made is not None:
                self.found.append((namespace, made))

    def namespace(self, outer: str):
        self.next()
        name = ""
        while (token := self.next()).text != "{":
            name += token.text
        parts = name.split("::")
        if all(part in PUBLIC for part in parts):
            self.scope(f"{outer}::{name}" if outer else name)
            self.next()
        elif parts[-1] in INTERNAL:
            self.balanced(token)
        else:
            raise Unreadable(self.path, token.line, f"namespace {name} is neither public nor internal: "
                             "tools/interface/declarations.py lists them")

    def declaration(self, comments: list[Token], place: str, owner: Class | None = None):
        """One declaration; None if it is none of the record."""
        first = self.peek()
        template = self.template()
        word = self.peek()
        if word.text in ("static_assert", "friend") or (template == "<>" and not place):
            return self.skip_statement()
        if word.text == "using":
            return self.alias(comments)
        if word.text == "enum":
            return self.enum(comments)
        if word.text in ("class", "struct"):
            return self.class_(comments, template)
        return self.function_or_values(first, comments, template, owner)

    def template(self) -> str:
        if self.peek().text != "template":
            return ""
        self.next()
        text = f"<{spelled(self.angles())}>"
        if self.peek().text == "requires":
            self.next()
            self.constraint()
        return text

    def constraint(self):
        """Reads a requires clause, up to the declaration."""
        while True:
            token = self.next()
            if token.text == "requires":
                while token.text != "{":
                    token = self.next()
                    if token.text == "(":
                        self.balanced(token)
                self.balanced(token)
            elif token.text == "(":
                self.balanced(token)
            else:
                while self.peek().text in ("::", "<"):
                    if self.peek().text == "<":
                        self.angles()
                    else:
                        self.next(), self.next()
            if self.peek().text not in ("&&", "||"):
                return
            self.next()

    def alias(self, comments: list[Token]):
        self.next()
        name = self.next()
        if self.peek().text != "=":
            return self.skip_statement()  # using Base::member
        self.next()
        target = []
        while (token := self.next()).text != ";":
            target.append(token)
        return Alias(name.text, spelled(target), text_of(comments) or self.trailing())

    def enum(self, comments: list[Token]):
        self.next()
        if self.peek().text != "class":
            self.fail(self.peek(), "enum: expected enum class")
        self.next()
        name = self.next().text
        while (token := self.next()).text != "{":
            pass
        values = []
        while True:
            own = self.comments()
            token = self.next()
            if token.text == "}":
                break
            ended = False
            number = []
            while self.peek().text not in (",", "}"):
                piece = self.next()
                number.append(piece)
                if piece.text == "(":
                    number += self.balanced(piece)
            if self.peek().text == ",":
                self.next()
                ended = True
            values.append(Value("", token.text, None, text_of(own) or self.trailing()))
            if not ended and self.peek().text != "}":
                self.fail(self.peek(), "enum")
        self.expect(";")
        return Enum(name, values, text_of(comments))

    def expect(self, text: str):
        token = self.next()
        if token.text != text:
            self.fail(token, f"declaration: expected '{text}'")

    def class_(self, comments: list[Token], template: str):
        key = self.next().text
        if self.peek().text == "PATCHBAY_API":
            self.next()
        name = self.next().text
        bases = []
        token = self.next()
        if token.text == ";":
            self.trailing()
            return None  # declared elsewhere
        if token.text == ":":
            base = []
            while (token := self.next()).text != "{":
                if token.text == ",":
                    bases.append(spelled(base))
                    base = []
                elif token.text not in ("public", "private", "virtual"):
                    base.append(token)
            bases.append(spelled(base))
        if token.text != "{":
            self.fail(token, "class")
        made = Class(key, name, bases, text_of(comments), template)
        self.members(made)
        self.expect(";")
        return made

    def members(self, owner: Class):
        is_public = owner.key == "struct"
        while True:
            comments = self.comments()
            token = self.peek()
            if token.text == "}":
                self.next()
                return
            if token.text in ("public", "private", "protected") and self.peek(1).text == ":":
                is_public = token.text == "public"
                self.next(), self.next()
                continue
            if not is_public:
                self.skip_statement()
                continue
            made = self.declaration(comments, owner.name, owner)
            for one in made if isinstance(made, list) else [made]:
                self.place(one, owner)

    @staticmethod
    def place(made, owner: Class):
        if isinstance(made, Function):
            (owner.constructors if made.name == owner.name else owner.methods).append(made)
        elif isinstance(made, Value):
            owner.fields.append(made)
        elif made is not None:
            owner.types.append(made)

    # ------------------------------------------------------ functions, fields

    def function_or_values(self, first: Token, comments: list[Token], template: str, owner: Class | None):
        specifiers, head = self.specifiers(), []
        if self.peek().text == "~":
            return self.skip_statement()
        while True:
            token = self.next()
            if token.text == "operator":
                return self.operator(first, comments, template, specifiers, head, owner)
            if token.text == "<":
                self.at -= 1
                inside = self.angles()
                head += [token, *inside, Token("sign", ">", token.line)]
            elif token.text == "(":
                return self.function(first, comments, template, specifiers, head, token, owner)
            elif token.text in (";", "=", ",", "{", "["):
                return self.values(comments, specifiers, head, token, owner)
            elif token.kind == "word" or token.text in ("::", "&", "*", "&&"):
                head.append(token)
            else:
                self.fail(token, "declaration")

    def specifiers(self) -> set[str]:
        found = set()
        while True:
            token = self.peek()
            if token.text == "[" and self.peek(1).text == "[":
                self.balanced(self.next())
            elif token.text in SPECIFIERS:
                found.add(self.next().text)
            else:
                return found

    def operator(self, first, comments, template, specifiers, head, owner):
        name = "operator"
        if self.peek().text == "(":
            self.next(), self.expect(")")
            name += "()"
        while self.peek().text != "(":
            name += self.next().text
        if not head:  # a conversion
            head = [Token("word", "bool", first.line)]
        head.append(Token("word", name, first.line))
        return self.function(first, comments, template, specifiers, head, self.next(), owner)

    def function(self, first, comments, template, specifiers, head, parenthesis, owner) -> Function:
        name = head.pop()
        if name.kind != "word" or (not head and (owner is None or name.text != owner.name)):
            self.fail(name, "function")
        parameters = [self.parameter(one, name) for one in split(self.balanced(parenthesis), ",")]
        is_deleted = False
        while self.peek().text not in (";", "{", ":"):
            token = self.next()
            if token.text == "noexcept" and self.peek().text == "(":
                self.balanced(self.next())
            is_deleted = is_deleted or token.text == "delete"
            if token.text not in ("const", "noexcept", "override", "final", "&", "&&", "=", "0", "default",
                                  "delete"):
                self.fail(token, "function")
        self.body(self.next())
        note = self.trailing()
        return Function(name.text, spelled(head), parameters, text_of(comments) or note, template,
                        "static" in specifiers, is_deleted, "virtual" in specifiers,
                        not comments and not first.blank_before)

    def body(self, token: Token):
        if token.text == ":":
            before = token
            while True:
                token = self.next()
                if token.text == "{" and before.kind != "word":
                    break
                if token.text in BRACKETS:
                    self.balanced(token)
                    token = Token("sign", BRACKETS[token.text], token.line)
                before = token
        if token.text == "{":
            self.balanced(token)

    def parameter(self, tokens: list[Token], place: Token) -> Value:
        default = None
        for i, token in enumerate(tokens):
            if token.text == "=":
                default, tokens = spelled(tokens[i + 1:]), tokens[:i]
                break
        texts = [token.text for token in tokens]
        if "(" in texts and texts[-1] == ")" and "&" in texts:  # const T (&values)[N]
            self.fail(place, "parameter")
        if len(tokens) > 1 and tokens[-1].text == "]":
            return Value(spelled(tokens), "values", default)
        if len(tokens) > 1 and tokens[-1].kind == "word" and tokens[-2].text not in ("::", "const", "unsigned"):
            return Value(spelled(tokens[:-1]), tokens[-1].text, default)
        return Value(spelled(tokens), "", default)  # without a name

    def values(self, comments, specifiers, head, token, owner):
        if owner is None or "static" in specifiers or "constexpr" in specifiers:
            while token.text != ";":  # a constant
                if token.text in BRACKETS:
                    self.balanced(token)
                token = self.next()
            self.trailing()
            return None
        name = head.pop()
        if name.kind != "word" or not head:
            self.fail(name, "field")
        type_, made = spelled(head), []
        while True:
            default = None
            if token.text in ("=", "{"):
                pieces = self.balanced(token) if token.text == "{" else []
                default = "{" + spelled(pieces) + "}" if token.text == "{" else None
                pieces = []
                while self.peek().text not in (";", ","):
                    piece = self.next()
                    pieces.append(piece)
                    if piece.text in BRACKETS:
                        pieces += [*self.balanced(piece), Token("sign", BRACKETS[piece.text], piece.line)]
                default = default if default is not None else spelled(pieces)
                token = self.next()
            elif token.text not in (";", ","):
                self.fail(token, "field")
            made.append(Value(type_, name.text, default))
            if token.text == ";":
                break
            name, token = self.next(), self.next()
        doc = text_of(comments)
        note = self.trailing()
        for one in made:
            one.doc = doc or note
        return made

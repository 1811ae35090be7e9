# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The record of what the public headers declare."""

import json
import pathlib
import re

from calls import all_signatures
from declarations import INTERNAL, Reader
from forms import Alias, Class, Enum, Function, Value
from kinds import Kinds, NoKind
from source import Expander

ORDER = ("functions", "structs", "enums", "classes", "aliases")
WHATS = {"patchbay::nn::Loss": "loss", "patchbay::nn::Optimizer": "optimizer", "patchbay::nn::Schedule": "schedule",
         "patchbay::nn::ReduceLROnPlateau": "schedule", "patchbay::nn::Module": "module"}
FIRST = ("patchbay/tensor.h", "patchbay/ops.h")  # whose functions have more overloads in other headers
LAST = ("patchbay/fuse.h", "patchbay/nn/loss_scaler.h")
WIDTH = 180
HOLLOW = re.compile(r"(The same|As)\b(?! a\b)")


class Refusal(Exception):
    """What a header has to have and lacks."""


def public_headers(include: pathlib.Path) -> list[str]:
    """The headers for programs. Those named _inl have the bodies of templates."""
    paths = (path.relative_to(include) for path in sorted(include.glob("patchbay/**/*.h")))
    headers = [path.as_posix() for path in paths if path.parts[1] != "plugin" and not path.stem.endswith("_inl")]
    return sorted(headers, key=lambda header: (header not in FIRST, header in LAST, header))


def first_sentence(doc: str) -> str:
    paragraph = doc.split("\n")[0]
    found = re.match(r"(.*?(?<!et al)(?<!\.)\.)(?= [A-Z`(\[]|$)", paragraph)
    return found.group(1) if found else paragraph


def documented(doc: str) -> dict:
    if HOLLOW.match(doc):
        raise Refusal(f"a comment begins '{doc[:40]}': an editor shows it alone, so say what it is about")
    codes = sorted(set(re.findall(r"\bk[A-Z]\w+", "".join(re.findall(r"Errors?\b.*", doc, re.S)))))
    return {**({"doc": doc} if doc else {}), **({"errors": codes} if codes else {})}


class Builder:
    def __init__(self, include: pathlib.Path):
        self.kinds = Kinds()
        self.found: list[tuple[str, str, object]] = []  # header, namespace, declaration
        self.problems: list[str] = []
        expander = Expander(include)
        expander.tokens_of("patchbay/dtype_table.h")
        for header in public_headers(include):
            reader = Reader(expander.tokens_of(header), header)
            reader.read()
            self.found += [(header, namespace, made) for namespace, made in reader.found]
        for _, namespace, made in self.found:
            self.declare(namespace, made)

    def declare(self, scope: str, made):
        if isinstance(made, Function):
            return
        full = f"{scope}::{made.name}"
        if isinstance(made, Alias):
            self.kinds.aliases[full] = made.target
        elif isinstance(made, Enum):
            self.kinds.types[full] = "enum"
        else:
            self.kinds.types[full] = "struct" if made.key == "struct" and not made.template else "handle"
            for inner in made.types:
                self.declare(full, inner)

    # ------------------------------------------------------------------ parts

    def value(self, one: Value, scope: str, template: str, place: str) -> dict:
        try:
            kind = self.kinds.of(one.type, scope, template, one.default)
        except NoKind as error:
            self.problems.append(f"{place}: the type '{error}' has no kind: see tools/interface/kinds.py")
            kind = "?"
        entry = {"name": one.name, "type": one.type, "kind": kind}
        if one.default is not None:
            entry["default"] = one.default
        if one.doc:
            entry |= documented(one.doc)
            entry.pop("errors", None)
        return entry

    def overload(self, made: Function, scope: str, place: str) -> dict:
        entry = {}
        if made.template:
            entry["template"] = made.template
        if made.is_static:
            entry["static"] = True
        if made.returns:
            result = made.returns
            entry["returns"] = result
            if result not in ("void", "auto"):
                entry["result"] = self.value(Value(result, ""), scope, made.template, place)["kind"]
        parameters = [self.value(one, scope, made.template, f"{place}({one.name})") for one in made.parameters]
        entry["parameters"] = [list(one.values()) for one in parameters]
        return entry

    def functions(self, made: list[tuple[str, str, Function]], is_member: bool) -> dict:
        """The functions with their overloads, by full name."""
        result: dict[str, dict] = {}
        for header, scope, one in made:
            if one.is_deleted or (one.name.startswith("operator") and one.name != "operator()"):
                continue  # operators repeat functions
            full = f"{scope}::{one.name}"
            known = result.get(full)
            entry = known or {**({} if is_member else {"header": header}), **documented(one.doc), "overloads": []}
            overload = self.overload(one, scope, full)
            doc = one.doc
            if known is not None and doc and doc != entry.get("doc"):
                overload.update(documented(doc))
            if known is not None and header != entry.get("header", header):
                overload["header"] = header
            types = [parameter[1] for parameter in overload["parameters"]]
            twice = [other for other in entry["overloads"]
                     if types == [parameter[1] for parameter in other["parameters"]]
                     and not {"template"} & (set(other) | set(overload))]
            for other in twice:  # declared again with a default
                entry["overloads"].remove(other)
            entry["overloads"].append(overload)
            result[full] = entry
        return result

    def described(self, full: str, functions: dict) -> None:
        """Each free function says what it does; an _out function stands for the one without."""
        entry = functions[full]
        base = full.removesuffix("_out")
        own = entry.get("doc", "")
        if base != full and base in functions and not own.startswith("out ="):
            entry["doc"] = (f"Writes the result of {base.rpartition('::')[2]} to `out`." + (f" {own}" if own else ""))
        if not entry.get("doc"):
            self.problems.append(f"{full} has no comment of its own")

    def class_(self, made: Class, header: str, scope: str) -> dict:
        full = f"{scope}::{made.name}"
        entry = {"header": header, **({"template": made.template} if made.template else {})}
        if made.bases:
            entry["bases"] = [self.kinds.full_name(base, scope) or base for base in made.bases]
        entry.update(documented(made.doc))
        entry["fields"] = [self.value(one, full, made.template, full) for one in made.fields]
        constructors = [one for one in made.constructors if not one.is_deleted and not is_copy(one, made.name)
                        and not is_inner(one)]
        entry["constructors"] = [{**self.overload(one, full, full), **documented(one.doc)}
                                 for one in constructors if one.parameters or len(constructors) == 1 or one.doc]
        methods = self.functions([("", full, one) for one in made.methods if not is_inner(one)], True)
        entry["methods"] = {name.rpartition("::")[2]: method for name, method in methods.items()}
        return {key: value for key, value in entry.items() if value}

    # ------------------------------------------------------------------ whole

    def record(self) -> dict:
        functions = self.functions([(header, scope, made) for header, scope, made in self.found
                                    if isinstance(made, Function)], False)
        for full in functions:
            self.described(full, functions)
        parts: dict[str, dict] = {name: {} for name in ORDER} | {"functions": functions}
        for header, scope, made in self.found:
            self.add_type(parts, header, scope, made)
        for full, entry in parts["classes"].items():
            entry["what"] = self.what(full, parts["classes"])
            self.leave_out_overrides(entry, parts["classes"])
            if entry["what"] != "class" and "doc" not in entry:
                self.problems.append(f"{full} has no comment of its own")
        self.signatures = all_signatures(parts)
        if self.problems:
            raise Refusal("\n".join(self.problems))
        return {name: dict(sorted(parts[name].items())) for name in ORDER}

    def add_type(self, parts: dict, header: str, scope: str, made):
        if isinstance(made, Function):
            return
        full = f"{scope}::{made.name}"
        if isinstance(made, Alias):
            parts["aliases"][full] = {"header": header, "target": made.target, **documented(made.doc)}
        elif isinstance(made, Enum):
            values = [{"name": one.name, **({"doc": one.doc} if one.doc else {})} for one in made.values]
            parts["enums"][full] = {"header": header, **documented(made.doc), "values": values}
        else:
            place = "structs" if self.kinds.types[full] == "struct" else "classes"
            parts[place][full] = self.class_(made, header, scope)
            for inner in made.types:
                self.add_type(parts, header, full, inner)

    def leave_out_overrides(self, entry: dict, classes: dict):
        """A method of a base that is overridden without a comment says nothing new."""
        known = {name for base in entry.get("bases", []) for name in self.method_names(base, classes)}
        kept = {name: method for name, method in entry.get("methods", {}).items()
                if name not in known or "doc" in method}
        entry["methods"] = kept
        if not kept:
            del entry["methods"]

    def method_names(self, full: str, classes: dict) -> set[str]:
        names = set(classes.get(full, {}).get("methods", {}))
        for base in classes.get(full, {}).get("bases", []):
            names |= self.method_names(base, classes)
        return names

    def what(self, full: str, classes: dict) -> str:
        if full in WHATS:
            return WHATS[full]
        for base in classes.get(full, {}).get("bases", []):
            if (what := self.what(base, classes)) != "class":
                return what
        return "class"


def is_copy(made: Function, name: str) -> bool:
    return len(made.parameters) == 1 and made.parameters[0].type in (f"const {name}&", f"{name}&&")


def is_inner(made: Function) -> bool:
    """For the library's own sources: it takes or returns what is behind a handle."""
    types = " ".join([made.returns, *(one.type for one in made.parameters)])
    return bool(re.search(rf"\b({'|'.join(INTERNAL - {'dlpack'})})::", types))


def written(value, indent: int) -> str:
    """JSON in which what fits a line is one, and all else has a line for each part."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(line) + indent <= WIDTH:
        return line
    space = " " * (indent + 1)
    rows = ([f"{space}{json.dumps(key)}: {written(one, indent + 1)}" for key, one in value.items()]
            if isinstance(value, dict) else [space + written(one, indent + 1) for one in value])
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + ",\n".join(rows) + "\n" + " " * indent + closing

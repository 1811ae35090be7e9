# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Which functions patchbay::call takes, and by what arguments.

An argument is a parameter, or a field of a parameter that is a struct. Overloads that differ only in a tensor or a number
at some places are one signature.
"""

from dataclasses import dataclass, field

VALUES = {"tensor": "kTensor", "tensor_or_scalar": "kOperand", "scalar": "kScalar", "number": "kNumber",
          "integer": "kInteger", "bool": "kBool", "string": "kText", "dtype": "kDtype", "device": "kDevice",
          "shape": "kIntegers", "axes": "kIntegers", "pair": "kIntegers", "generator": "kGenerator", "enum": "kWord"}
LISTS = {"tensor": "kTensors", "integer": "kIntegers"}
TENSORS = ("kTensor", "kOperand", "kTensors")
RESULTS = ("tensor", "list of tensor")


class NotCallable(Exception):
    pass


@dataclass
class Argument:
    name: str
    value: str  # one of the ValueKind of core/tensor/call/signature.h
    is_required: bool
    type: str  # in C++
    enum: str = ""


@dataclass
class Parameter:
    """How a parameter is made of arguments."""
    type: str
    arguments: list[int]
    default: str | None = None
    fields: list[tuple[str, int]] = field(default_factory=list)  # of a struct: its name, the argument
    members: list[str] = field(default_factory=list)  # of a list of structs


@dataclass
class Signature:
    function: str  # as call names it
    target: str  # what C++ calls
    arguments: list[Argument]
    parameters: list[Parameter]
    results: list[str] | None  # the tensors of a struct; [""] for a tensor, None for nothing
    is_list: bool = False
    forms: list[tuple[bool, ...]] = field(default_factory=list)  # for each kOperand whether it is a tensor


def bare(type_: str) -> str:
    return type_ if type_.endswith("*") else type_.removeprefix("const ").rstrip("&").strip()


class Calls:
    def __init__(self, parts: dict):
        self.structs, self.enums = parts["structs"], parts["enums"]

    def result(self, overload: dict) -> tuple[list[str] | None, bool]:
        kind = overload.get("result")
        if kind is None:
            if overload["returns"] != "void":
                raise NotCallable("it is a template")
            return None, False
        if kind in RESULTS:
            return [""], kind == "list of tensor"
        if kind.startswith("struct "):
            return [f".{path}" for path in self.tensors_of(kind.removeprefix("struct "))], False
        raise NotCallable("its result is no tensor")

    def tensors_of(self, struct: str) -> list[str]:
        paths = []
        for one in self.structs[struct].get("fields", []):
            if one["kind"] in ("tensor", "optional tensor"):
                paths.append(one["name"])
            elif one["kind"].startswith("struct "):
                paths += [f"{one['name']}.{path}" for path in self.tensors_of(one["kind"].removeprefix("struct "))]
            else:
                raise NotCallable("its result is no tensor")
        return paths

    def argument(self, name: str, type_: str, kind: str, has_default: bool) -> Argument:
        is_required = not has_default and not kind.startswith("optional ")
        rest = kind.removeprefix("optional ")
        if rest.startswith("list of ") and rest.removeprefix("list of ") in LISTS:
            return Argument(name, LISTS[rest.removeprefix("list of ")], is_required, bare(type_))
        base, _, of = rest.partition(" ")
        if base not in VALUES:
            raise NotCallable(f"`{name}` is {spoken(rest)}")
        return Argument(name, VALUES[base], is_required, bare(type_), of if base == "enum" else "")

    def signature(self, function: str, target: str, overload: dict, this: bool) -> Signature:
        results, is_list = self.result(overload)
        if "template" in overload:
            raise NotCallable("it is a template")
        made = Signature(function, target, [], [], results, is_list)
        if this:
            made.arguments.append(Argument("self", "kTensor", True, "Tensor"))
        for name, type_, kind, *default in overload["parameters"]:
            self.add(made, name, type_, kind, default[0] if default else None)
        if results is None and not any(one.value in TENSORS for one in made.arguments):
            raise NotCallable("it takes and gives no tensor")
        names = [one.name for one in made.arguments]
        if len(set(names)) != len(names):
            raise NotCallable("two of its arguments have one name")
        return made

    def add(self, made: Signature, name: str, type_: str, kind: str, default: str | None):
        at = len(made.arguments)
        if kind.startswith("struct "):
            fields = self.structs[kind.removeprefix("struct ")].get("fields", [])
            for one in fields:
                made.arguments.append(self.argument(one["name"], one["type"], one["kind"],
                                                    default is not None or "default" in one))
            places = [(one["name"], at + i) for i, one in enumerate(fields)]
            made.parameters.append(Parameter(bare(type_), [], default, places))
            return
        if kind.startswith("list of struct "):
            fields = self.structs[kind.removeprefix("list of struct ")].get("fields", [])
            kinds = {one["kind"].removeprefix("optional ") for one in fields}
            if len(kinds) == 1 and kinds <= set(LISTS):
                made.arguments.append(Argument(name, LISTS[kinds.pop()], default is None, "", ""))
                struct = kind.removeprefix("list of struct ")
                made.parameters.append(Parameter(struct, [at], default, members=[one["name"] for one in fields]))
                return
        made.arguments.append(self.argument(name, type_, kind, default is not None))
        made.parameters.append(Parameter(bare(type_), [at], default))

    def signatures(self, full: str, entry: dict, this: bool = False) -> list[Signature]:
        """Those that call has; raises NotCallable if there are none."""
        if full.startswith("patchbay::nn::"):
            raise NotCallable("it is in libpatchbay-nn, which is above patchbay::call")
        function = full.removeprefix("patchbay::").replace("::", ".")
        target = full.rpartition("::")[2] if this else full
        made: list[Signature] = []
        reason = None
        for overload in entry["overloads"]:
            try:
                one = self.signature(function, target, overload, this and not overload.get("static"))
            except NotCallable as error:
                reason = reason or error
                continue
            if not any(merge(other, one) for other in made):
                made.append(one)
        if not made:
            raise reason
        return made


def merge(known: Signature, other: Signature) -> bool:
    """Makes `known` stand for both if they differ only in tensors and numbers."""
    if len(known.arguments) != len(other.arguments):
        return False
    places = []
    for i, (a, b) in enumerate(zip(known.arguments, other.arguments)):
        if a.name != b.name or (a.type != b.type and not {a.type, b.type} <= {"Tensor", "Scalar"}):
            return False
        if a.type != b.type or a.value == "kOperand":
            places.append(i)
    if not places:
        return False
    if not known.forms:
        known.forms = [form_of(known)]
    for i in places:
        known.arguments[i].value = "kOperand"
        known.arguments[i].is_required = known.arguments[i].is_required and other.arguments[i].is_required
        default = known.parameters[i].default
        known.parameters[i].default = default if default is not None else other.parameters[i].default
    known.forms.append(form_of(other))
    return True


def form_of(one: Signature) -> tuple[bool, ...]:
    return tuple(argument.type == "Tensor" for argument in one.arguments)


def spoken(kind: str) -> str:
    base, _, name = kind.removeprefix("list of ").partition(" ")
    article = "a list of " if kind.startswith("list of ") else "a "
    nouns = {"handle": name.rpartition("::")[2], "struct": name.rpartition("::")[2], "function": "function",
             "duration": "time", "memory": "address", "path": "path", "output": "stream of text",
             "template": "template", "map": "map", "optional": kind}
    noun = nouns.get(base, base)
    return ("an " if article == "a " and noun[0].lower() in "aeio" else article) + noun


def tensor_methods(parts: dict) -> dict[str, dict]:
    """The methods of Tensor that give tensors, by full name."""
    methods = parts["classes"]["patchbay::Tensor"]["methods"]
    return {f"patchbay::Tensor::{name}": entry for name, entry in methods.items()
            if any(overload.get("result") == "tensor" for overload in entry["overloads"])
            and not name.startswith("operator")}


def all_signatures(parts: dict) -> list[Signature]:
    """The signatures of all functions; notes in the record which functions have none, and why."""
    calls, made = Calls(parts), []
    candidates = [(full, entry, False) for full, entry in parts["functions"].items()]
    candidates += [(full, entry, True) for full, entry in tensor_methods(parts).items()]
    for full, entry, this in candidates:
        try:
            made += calls.signatures(full, entry, this)
            entry["call"] = True
        except NotCallable as error:
            entry["call"] = f"no: {error}"
    return sorted(made, key=lambda one: one.function)

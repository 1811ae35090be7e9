# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Writes core/tensor/call/functions.cpp: the functions that patchbay::call takes."""

import re
import textwrap

from calls import Argument, Parameter, Signature

TABLE = "core/tensor/call/functions.cpp"
PREFACE = """\
// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// tools/interface/interface.py --write makes this file from the public headers.
// clang-format off
%s
#include "core/tensor/call/arguments.h"
#include "core/tensor/call/signature.h"

namespace patchbay::tensor {

namespace {

using Results = std::vector<Tensor>;

"""


def word_of(name: str) -> str:
    """kLeakyRelu: leaky_relu"""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name[1:]).lower()


def array(values: list[str]) -> str:
    return "{" + ", ".join(values) + "}"


def wrapped(text: str, indent: str = "    ") -> str:
    lines = textwrap.wrap(text, 118, initial_indent=indent, subsequent_indent=indent + "    ",
                          break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


class Table:
    def __init__(self, parts: dict, signatures: list[Signature]):
        self.parts, self.signatures = parts, signatures
        self.lists: dict[str, str] = {}  # the text of a list of arguments: its name
        self.words: dict[str, str] = {}  # an enum: the name of the list of its words

    # -------------------------------------------------------------- arguments

    def words_of(self, enum: str) -> str:
        return self.words.setdefault(enum, f"k{enum.rpartition('::')[2]}Words")

    def argument(self, one: Argument) -> str:
        fields = [f'"{one.name}"', f"ValueKind::{one.value}", "true" if one.is_required else "false"]
        if one.enum:
            fields.append(self.words_of(one.enum))
        return array(fields)

    def list_of(self, function: str, arguments: list[Argument]) -> str:
        text = array([self.argument(one) for one in arguments])
        name = "".join(word.capitalize() for word in re.split(r"[_.]+", function))
        taken = sum(other.rstrip("0123456789") == f"kOf{name}" for other in self.lists.values())
        return self.lists.setdefault(text, f"kOf{name}{taken or ''}")

    # ------------------------------------------------------------------ calls

    def expression(self, made: Signature, parameter: Parameter, form: dict[int, bool]) -> str:
        """What C++ passes for a parameter that is one argument."""
        at = parameter.arguments[0]
        argument = made.arguments[at]
        if parameter.members:
            members = ", ".join(f"&{parameter.type}::{one}" for one in parameter.members)
            return f"in.structs<{parameter.type}>({at}, {{{members}}})"
        if argument.value == "kTensor" or form.get(at):
            return f"in.tensor({at})"
        type_ = "Scalar" if argument.value == "kOperand" else parameter.type
        if argument.value == "kTensors":
            return f"in.tensors({at})"
        if argument.value == "kIntegers" and re.match(r"std::(span|initializer_list)<", type_):
            type_ = "std::vector<std::int64_t>"
        if argument.is_required:
            return f"in.get<{type_}>({at})"
        default = parameter.default if parameter.default is not None else "{}"
        if "(" in default:
            return f"in.has({at}) ? in.get<{type_}>({at}) : {default}"
        return f"in.get<{type_}>({at}, {default})"

    def call(self, made: Signature, form: dict[int, bool]) -> tuple[list[str], str]:
        """The statements before the call, and the call."""
        before, passed, this = [], [], made.function.startswith("Tensor.")
        for parameter in made.parameters:
            if not parameter.fields:
                passed.append(self.expression(made, parameter, form))
                continue
            name = f"s{len(before)}"
            sets = " ".join(f"in.set({at}, {name}.{one});" for one, at in parameter.fields)
            before.append(f"{parameter.type} {name}{{}}; {sets}")
            passed.append(name)
        target = f"in.tensor(0).{made.target}" if this else made.target
        return before, f"{target}({', '.join(passed)})"

    def body(self, made: Signature) -> str:
        places = [i for i, one in enumerate(made.arguments) if one.value == "kOperand"]
        if not made.forms:
            return self.returned(made, {})
        text = ""
        for form in made.forms:
            test = " && ".join(f"{'' if form[i] else '!'}in.is_tensor({i})" for i in places)
            text += f"if ({test}) {{ {self.returned(made, {i: form[i] for i in places})} }} "
        return text + "in.refuse_numbers();"

    def returned(self, made: Signature, form: dict[int, bool]) -> str:
        before, call = self.call(made, form)
        if made.results is None:
            last = f"{call}; return {{}};"
        elif made.results == [""]:
            last = f"return {call};" if made.is_list else f"return one({call});"
        else:
            values = ", ".join(f"made{path}" for path in made.results)
            last = f"const auto made = {call}; return {{{values}}};"
        return " ".join([*before, last])

    # ------------------------------------------------------------------ whole

    def text(self) -> str:
        rows = []
        for made in self.signatures:
            arguments = self.list_of(made.function, made.arguments)
            rows.append(wrapped(f'{{"{made.function}", {arguments}, [](const Arguments& in) -> Results '
                                f"{{ {self.body(made)} }}}},"))
        text = PREFACE % "".join(f'#include "{header}"\n' for header in self.headers())
        for enum, name in sorted(self.words.items()):
            values = [array([f'"{word_of(one["name"])}"', f"std::int64_t({enum}::{one['name']})"])
                      for one in self.parts["enums"][enum]["values"]]
            text += wrapped(f"constexpr Word {name}[] = {array(values)};", "")
        text += "".join(wrapped(f"constexpr Argument {name}[] = {one};", "") for one, name in self.lists.items())
        text += "\nconstexpr Signature kSignatures[] = {\n" + "".join(rows) + "};\n\n"
        text += "constexpr NotCalled kNotCalled[] = {\n" + "".join(self.not_called()) + "};\n"
        return text + ("\n}  // namespace\n\nstd::span<const Signature> signatures() { return kSignatures; }\n"
                       "std::span<const NotCalled> not_called() { return kNotCalled; }\n"
                       "\n}  // namespace patchbay::tensor\n")

    def headers(self) -> list[str]:
        functions = self.parts["functions"]
        called = {"patchbay::" + one.function.replace(".", "::") for one in self.signatures}
        found = {entry["header"] for name, entry in functions.items() if name in called}
        return sorted(found | {overload["header"] for name in called & set(functions)
                               for overload in functions[name]["overloads"] if "header" in overload})

    def not_called(self) -> list[str]:
        return [f'    {{"{name.removeprefix("patchbay::").replace("::", ".")}", '
                f'"{entry["call"].removeprefix("no: ")}"}},\n'
                for name, entry in sorted(self.parts["functions"].items()) if entry["call"] is not True]

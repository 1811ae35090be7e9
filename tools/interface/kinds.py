# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""What a parameter takes, for other languages: a kind out of a small set.

A kind is a text: `optional ` or `list of ` any number of times, or `map of `, and then one of KINDS, the last ones with
the name of the type: `optional tensor`, `list of struct patchbay::Padding`, `enum patchbay::Activation`.
"""

import re

KINDS = {
    "tensor": "a tensor",
    "tensor_or_scalar": "a tensor or a number",
    "scalar": "a number that takes the dtype of a tensor",
    "number": "a floating-point number",
    "integer": "an integer",
    "bool": "true or false",
    "string": "a text",
    "path": "the path of a file",
    "dtype": "a dtype",
    "device": "a device",
    "shape": "a list of extents",
    "axes": "a list of dimensions, or one",
    "pair": "two integers, or one for both",
    "generator": "a generator of random numbers",
    "enum": "a word of an enum",
    "struct": "options or values by name",
    "handle": "an object of a class",
    "function": "a function of the program",
    "duration": "a time",
    "memory": "an address in memory",
    "output": "a stream of text",
    "variant": "a value of one of several types",
    "template": "any type that fits a template",
}
BASIC = {
    "Tensor": "tensor", "Scalar": "scalar", "TensorOrScalar": "tensor_or_scalar", "double": "number", "bool": "bool",
    "std::int64_t": "integer", "int": "integer", "std::uint64_t": "integer", "std::uint32_t": "integer",
    "std::size_t": "integer", "Integer<int>": "integer", "Integer<std::int64_t>": "integer", "char": "string",
    "std::string": "string", "std::string_view": "string", "const char*": "string",
    "std::filesystem::path": "path", "DType": "dtype", "Device": "device", "Shape": "shape", "Axes": "axes",
    "Pair": "pair", "Generator": "generator", "std::chrono::nanoseconds": "duration",
    "std::chrono::steady_clock::time_point": "duration", "void*": "memory", "const void*": "memory",
    "dlpack::DLManagedTensorVersioned*": "memory", "dlpack::DLManagedTensor*": "memory", "std::ostream&": "output",
    "std::default_sentinel_t": "template",
}
# The bytes of a UUID, which no function takes.
OTHER = {"std::array<std::uint8_t, 16>": "list of integer"}
LISTS = r"std::(?:vector|span|initializer_list)<(?:const )?(.*)>"


class NoKind(Exception):
    pass


class Kinds:
    """Finds the kind of a type by the declarations of all headers."""

    def __init__(self):
        self.types: dict[str, str] = {}  # full name: struct, handle or enum
        self.aliases: dict[str, str] = {}  # full name: target

    def full_name(self, name: str, scope: str) -> str | None:
        """The declared name that `name` means within the scope."""
        while True:
            full = f"{scope}::{name}" if scope else name
            if full in self.types or full in self.aliases:
                return full
            if not scope:
                return None
            scope = scope.rpartition("::")[0]

    def of(self, type_: str, scope: str, templates: str = "", default: str | None = None) -> str:
        kind = self.bare(type_, scope, set(re.findall(r"\w+", templates)))
        is_tensor = kind == "tensor" and default == "{}"
        return f"optional {kind}" if is_tensor else kind

    def bare(self, type_: str, scope: str, templates: set[str]) -> str:
        if type_ in BASIC:
            return BASIC[type_]
        if type_ in OTHER:
            return OTHER[type_]
        text = re.sub(r"^const (.*[^*])$", r"\1", type_).removeprefix("const ")
        text = text.rstrip("&").strip()
        if text in BASIC:
            return BASIC[text]
        if text.startswith("std::variant<"):
            return "variant"
        if text.startswith("typename ") or text.endswith(" auto") or templates & set(re.findall(r"\w+", text)):
            return "template"
        if text.startswith("std::function<"):
            return "function"
        for pattern, prefix in ((r"std::optional<(.*)>", "optional"), (LISTS, "list of"),
                                (r"std::map<std::string, (.*?)(?:, std::less<>)?>", "map of")):
            if found := re.fullmatch(pattern, text):
                return f"{prefix} {self.bare(found.group(1), scope, templates)}"
        if found := re.fullmatch(r"(?:std::(?:shared|unique)_ptr<(.*)>|(.*)\*)", text):
            return self.bare(found.group(1) or found.group(2), scope, templates)
        full = self.full_name(text, scope)
        if full in self.aliases:
            return self.bare(self.aliases[full], full.rpartition("::")[0], templates)
        if full is None:
            raise NoKind(type_)
        return f"{self.types[full]} {full}"

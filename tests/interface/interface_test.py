#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""tools/interface reads what it says, and refuses the rest: interface_test.py"""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/interface"))

import interface  # noqa: E402
from call_table import word_of  # noqa: E402
from record import Builder, Refusal, first_sentence, public_headers  # noqa: E402
from source import Unreadable  # noqa: E402

TYPES = """
using Dim = Integer<int>;
using Index = Integer<std::int64_t>;
/// A tensor.
class PATCHBAY_API Tensor {
 public:
  Tensor() = default;
  /// Another shape.
  [[nodiscard]] Tensor reshape(const Shape& shape) const;
 private:
  what is private is not read(*) here;
};
class PATCHBAY_API Expression {
 public:
  Expression cast(DType dtype) const;
};
"""


def builder_of(text: str, **others: str) -> Builder:
    """Reads a header with this text inside the namespace, and others with theirs."""
    with tempfile.TemporaryDirectory() as folder:
        include = pathlib.Path(folder)
        (include / "patchbay/nn").mkdir(parents=True)
        (include / "patchbay/dtype_table.h").write_text("")
        (include / "patchbay/tensor.h").write_text(f"namespace patchbay {{\n{TYPES}\n}}\n")
        for name, content in {"one": text, **others}.items():
            (include / f"patchbay/{name}.h").write_text(f"namespace patchbay {{\n{content}\n}}\n")
        return Builder(include)


def function_of(text: str, name: str = "f") -> dict:
    return builder_of(text).record()["functions"][f"patchbay::{name}"]


def parameters_of(text: str) -> list:
    return [overload["parameters"] for overload in function_of(text)["overloads"]]


class Functions(unittest.TestCase):
    def test_parameters_defaults_and_results(self):
        made = function_of("/// Does it. Errors: kIo.\n[[nodiscard]] PATCHBAY_API Tensor f(const Tensor& a, Dim dim = -1,\n"
                           "  double p = 1.0 / 3, const std::optional<Scalar>& low = {});")
        self.assertEqual(made, {
            "header": "patchbay/one.h", "doc": "Does it. Errors: kIo.", "errors": ["kIo"], "call": "no",
            "overloads": [{"returns": "Tensor", "result": "tensor", "parameters": [
                ["a", "const Tensor&", "tensor"], ["dim", "Dim", "integer", "-1"], ["p", "double", "number", "1.0 / 3"],
                ["low", "const std::optional<Scalar>&", "optional scalar", "{}"]]}]} | {"call": made["call"]})

    def test_kinds(self):
        cases = {"const Tensor& x = {}": "optional tensor", "const std::vector<Tensor>& x": "list of tensor",
                 "std::span<const std::int64_t> x": "list of integer", "const Shape& x": "shape", "Mode x": "enum patchbay::Mode",
                 "const Options& x = {}": "struct patchbay::Options", "const Expression& x": "handle patchbay::Expression",
                 "const std::function<void()>& x": "function", "Alias x": "list of tensor",
                 "const std::map<std::string, Tensor>& x": "map of tensor"}
        for text, kind in cases.items():
            found = parameters_of("enum class Mode : std::uint8_t { kOne, kTwo };\nstruct Options {\n  int n = 1;  // how many\n};\n"
                                  f"using Alias = std::vector<Tensor>;\n/// Does it.\nPATCHBAY_API void f({text});")
            self.assertEqual(found[0][0][2], kind, text)

    def test_macros_are_expanded(self):
        made = builder_of("#define FORMS(name) \\\n  PATCHBAY_API const Tensor& name##_out(const Tensor& out, const Tensor& a);\n"
                          "/// |a|.\nPATCHBAY_API Tensor abs(const Tensor& a);\nFORMS(abs)\n#undef FORMS").record()["functions"]
        self.assertEqual(made["patchbay::abs_out"]["doc"], "Writes the result of abs to `out`.")
        self.assertEqual([one[0] for one in made["patchbay::abs_out"]["overloads"][0]["parameters"]], ["out", "a"])

    def test_bodies_templates_and_deleted_functions(self):
        made = builder_of("/// One.\n[[nodiscard]] inline Tensor f(const Tensor& a) { if (a) { return {}; } return a; }\n"
                          "template <std::same_as<bool> B>\nTensor f(const Tensor& a, B b) = delete;\n"
                          "/// Two.\ntemplate <class T>\nrequires std::is_const_v<T>\nTensor g(T* data) { return {}; }").record()
        self.assertEqual(len(made["functions"]["patchbay::f"]["overloads"]), 1)
        self.assertEqual(made["functions"]["patchbay::g"]["overloads"][0]["template"], "<class T>")
        self.assertEqual(made["functions"]["patchbay::g"]["call"], "no: it is a template")

    def test_paragraphs_and_first_sentences(self):
        self.assertEqual(function_of("/// One\n/// two.\n///\n/// Three.\nPATCHBAY_API void f(const Tensor& a);")["doc"],
                         "One two.\n\nThree.")
        self.assertEqual(first_sentence("out[.., i] = a (He et al., 2015). Then more."), "out[.., i] = a (He et al., 2015).")

    def test_headers_of_plugins_and_bodies_are_left_out(self):
        headers = public_headers(ROOT / "include")
        self.assertIn("patchbay/nn/loss.h", headers)
        self.assertFalse([one for one in headers if "plugin/" in one or one.endswith("_inl.h")])


class Types(unittest.TestCase):
    def test_fields_with_comments_before_and_behind(self):
        made = builder_of("/// How.\nstruct Options {\n  /// Of both.\n  double a = 1e-3, b = 0;\n  int n = 2;  // how many\n"
                          "  Tensor mask = {};\n};").record()["structs"]["patchbay::Options"]
        self.assertEqual(made["fields"], [
            {"name": "a", "type": "double", "kind": "number", "default": "1e-3", "doc": "Of both."},
            {"name": "b", "type": "double", "kind": "number", "default": "0", "doc": "Of both."},
            {"name": "n", "type": "int", "kind": "integer", "default": "2", "doc": "how many"},
            {"name": "mask", "type": "Tensor", "kind": "optional tensor", "default": "{}"}])

    def test_what_a_class_is(self):
        made = builder_of("namespace nn {\n/// A function.\nclass Module {\n public:\n  /// Runs.\n  virtual Tensor forward(const Tensor& x);\n};\n"
                          "/// A loss.\nclass Loss : public Module {};\n/// Of squares.\nclass MSELoss : public Loss {\n public:\n"
                          "  explicit MSELoss(double p = 2) : p_(p) {}\n  Tensor forward(const Tensor& x) override;\n"
                          " private:\n  double p_;\n};\n}").record()["classes"]["patchbay::nn::MSELoss"]
        self.assertEqual(made, {"header": "patchbay/one.h", "bases": ["patchbay::nn::Loss"], "doc": "Of squares.", "what": "loss",
                                "constructors": [{"parameters": [["p", "double", "number", "2"]]}]})

    def test_words_of_enums(self):
        self.assertEqual([word_of(name) for name in ("kNone", "kLeakyRelu", "kF32")], ["none", "leaky_relu", "f32"])


class Refusals(unittest.TestCase):
    def expect(self, error: type, message: str, text: str):
        with self.assertRaises(error) as raised:
            builder_of(text).record()
        self.assertEqual(str(raised.exception), message)

    def test_what_it_can_not_read(self):
        self.expect(Unreadable, "patchbay/one.h:2: can't read this declaration at '+'", "Tensor a + b;")
        self.expect(Unreadable, "patchbay/one.h:2: can't read this enum: expected enum class at 'Old'", "enum Old { a };")
        self.expect(Unreadable, "patchbay/one.h:2: can't read this function at 'try'", "int f(int a) try { }")
        self.expect(Unreadable, "patchbay/one.h:2: namespace secret is neither public nor internal: "
                    "tools/interface/declarations.py lists them", "namespace secret { int a(); }")

    def test_types_without_a_kind(self):
        self.expect(Refusal, "patchbay::f(x): the type 'const Strange&' has no kind: see tools/interface/kinds.py",
                    "/// Does it.\nPATCHBAY_API void f(const Strange& x, const Tensor& a);")

    def test_comments(self):
        self.expect(Refusal, "patchbay::f has no comment of its own", "PATCHBAY_API void f(const Tensor& a);")
        for begin in ("The same for two.", "As g."):
            with self.assertRaisesRegex(Refusal, f"a comment begins '{begin}': an editor shows it alone"):
                builder_of(f"/// {begin}\nPATCHBAY_API void f(const Tensor& a);").record()


class Calls(unittest.TestCase):
    def test_tensors_and_numbers_are_one_signature(self):
        builder = builder_of("/// Sum.\nPATCHBAY_API Tensor f(const Tensor& a, const Tensor& b);\n"
                             "PATCHBAY_API Tensor f(const Tensor& a, const Scalar& b);\nPATCHBAY_API Tensor f(const Scalar& a, const Tensor& b);\n"
                             "PATCHBAY_API Expression f(const Expression& a, const Expression& b);")
        builder.record()
        made = next(one for one in builder.signatures if one.function == "f")
        self.assertEqual([(one.name, one.value) for one in made.arguments], [("a", "kOperand"), ("b", "kOperand")])
        self.assertEqual(made.forms, [(True, True), (True, False), (False, True)])

    def test_fields_of_options_are_arguments(self):
        builder = builder_of("struct Options {\n  bool keep = false;\n  Tensor mask = {};\n};\n"
                             "/// Does it.\nPATCHBAY_API Tensor f(const Tensor& a, Index k, const Options& options = {});")
        builder.record()
        made = next(one for one in builder.signatures if one.function == "f")
        self.assertEqual([(one.name, one.value, one.is_required) for one in made.arguments],
                         [("a", "kTensor", True), ("k", "kInteger", True), ("keep", "kBool", False), ("mask", "kTensor", False)])

    def test_reasons(self):
        reasons = {"const std::function<void()>& g, const Tensor& a": "no: `g` is a function",
                   "const Expression& e, const Tensor& a": "no: `e` is an Expression",
                   "bool b": "no: it takes and gives no tensor"}
        for text, reason in reasons.items():
            self.assertEqual(function_of(f"/// Does it.\nPATCHBAY_API void f({text});")["call"], reason)
        self.assertEqual(function_of("/// Does it.\nPATCHBAY_API bool f(const Tensor& a);")["call"], "no: its result is no tensor")


class Differences(unittest.TestCase):
    def record(self, text: str) -> str:
        record = builder_of(text).record()
        return interface.written({"functions": record["functions"]}, 0)

    def differences(self, kept: str, made: str) -> list[str]:
        return interface.difference_of("list.json", self.record(kept), self.record(made))

    def test_name_the_functions(self):
        f = "/// Does it.\nPATCHBAY_API Tensor f(const Tensor& a, int n = 1);\n"
        g = "/// Does it.\nPATCHBAY_API Tensor g(const Tensor& a);\n"
        self.assertEqual(self.differences(f, f), [])
        self.assertEqual(self.differences(f, f + g), ["list.json lacks patchbay::g, which patchbay/one.h declares"])
        self.assertEqual(self.differences(f + g, f), ["list.json has patchbay::g, which no header declares"])
        for changed in (f.replace("n = 1", "n = 2"), f.replace("Does", "Makes"), f.replace("Tensor f", "void f"), f.replace("int", "bool")):
            self.assertEqual(self.differences(f, changed), ["list.json says another thing of patchbay::f than patchbay/one.h"])


if __name__ == "__main__":
    unittest.main()

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Signatures that can't be read are refused before any compiler is asked.
#include "support/device_test.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

struct Malformed {
  const char* text;
  const char* expected;
};

const Malformed kMalformed[] = {
    {"", "line 1: the text has no kernel: expected at least one PATCHBAY_KERNEL(name)(...)"},
    {"// PATCHBAY_KERNEL(f)() {}\n", "line 2: the text has no kernel"},
    {"/* PATCHBAY_KERNEL(f)() {} */", "the text has no kernel"},
    {"/* PATCHBAY_KERNEL(f)() {}", "the text has no kernel"},
    {"#define K PATCHBAY_KERNEL(f)() \\\n PATCHBAY_KERNEL(g)() {}", "the text has no kernel"},
    {"\"PATCHBAY_KERNEL(f)() {}\"", "the text has no kernel"},
    {"MY_PATCHBAY_KERNEL(f)() {}", "the text has no kernel"},
    {"PATCHBAY_KERNEL", "the end of the text stands after PATCHBAY_KERNEL: expected '('"},
    {"\n\nPATCHBAY_KERNEL f() {}", "line 3: 'f' stands after PATCHBAY_KERNEL: expected '('"},
    {"PATCHBAY_KERNEL()() {}", "')' stands where the kernel's name should: expected a name"},
    {"PATCHBAY_KERNEL(2f)() {}", "'2f' stands where the kernel's name should"},
    {"PATCHBAY_KERNEL(patchbay_f)() {}", "expected a name that does not begin with patchbay_"},
    {"PATCHBAY_KERNEL(f g)() {}", "'g' stands after the kernel's name: expected ')'"},
    {"PATCHBAY_KERNEL(f) {}", "'{' stands before the kernel's arguments: expected '('"},
    {"PATCHBAY_KERNEL(f)()", "the end of the text stands after the kernel's arguments"},
    {"PATCHBAY_KERNEL(f)();", "';' stands after the kernel's arguments: expected '{'"},
    {"PATCHBAY_KERNEL(f)(", "the end of the text stands in the list of arguments"},
    {"PATCHBAY_KERNEL(f)(float* x) {}",
     "'float' stands in the list of arguments: expected "
     "PATCHBAY_INPUT, PATCHBAY_OUTPUT, PATCHBAY_INOUT or"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT f32, x) {}", "expected '('"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(float, x)) {}",
     "'float' stands where a dtype should: expected one of f32, f64, i32, i64, u8, bool"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f16, x)) {}", "'f16' stands where a dtype should"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(x)) {}", "'x' stands where a dtype should"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32 x)) {}", "'x' stands after the dtype of an argument"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, )) {}", "')' stands where an argument's name should"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, x, y)) {}", "',' stands after an argument's name"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_VALUE(bool, x)) {}", "a value can't be a bool"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_VALUE(i32, x) PATCHBAY_VALUE(i32, y)) {}",
     "'PATCHBAY_VALUE' stands after an argument: expected ',' or ')'"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_VALUE(i32, x),) {}", "')' stands in the list of arguments"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_VALUE(i32, x), PATCHBAY_VALUE(i64, x)) {}",
     "two arguments are named 'x': expected different names"},
    {"PATCHBAY_KERNEL(f)() {}\nPATCHBAY_KERNEL(f)() {}",
     "line 2: there are two kernels 'f', the first on line 1"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, x)) {\n PATCHBAY_BIND_INPUT(i32, x); }",
     "line 2: PATCHBAY_BIND_INPUT(i32, x) does not fit the argument of kernel 'f': expected "
     "PATCHBAY_BIND_INPUT(f32, x)"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, x)) { PATCHBAY_BIND(f32, x); }",
     "PATCHBAY_BIND(f32, x) does not fit the argument of kernel 'f': expected "
     "PATCHBAY_BIND_INPUT(f32, x)"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_VALUE(i32, n)) { PATCHBAY_BIND(i32, n); }",
     "'n' is a value and needs no binding: expected its name alone"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, x), PATCHBAY_OUTPUT(f32, y)) {\n"
     " PATCHBAY_BIND_INPUT(f32, x);\n // PATCHBAY_BIND(f32, y);\n y[0] = x[0];\n}",
     "line 4: 'y' of kernel 'f' is used before it is bound: expected PATCHBAY_BIND(f32, y); at the "
     "beginning of the kernel. Example: "},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(bool, x), PATCHBAY_OUTPUT(i64, y)) {\n"
     " PATCHBAY_BIND(i64, y);\n y[0] = x[0];\n}",
     "line 3: 'x' of kernel 'f' is used before it is bound: expected PATCHBAY_BIND_INPUT(bool, "
     "x);"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INOUT(f32, x)) {\n x[0] = 1.0f;\n PATCHBAY_BIND(f32, x);\n}",
     "line 2: 'x' of kernel 'f' is used before it is bound"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INOUT(f32, x)) { PATCHBAY_BIND(f32, x); x[0] = 1.0f; }\n"
     "PATCHBAY_KERNEL(g)(PATCHBAY_INOUT(f32, x)) { if (1) { x[0] = 2.0f; } }",
     "line 2: 'x' of kernel 'g' is used before it is bound"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_VALUE(f32, half)) {}",
     "'half' can't name an argument: it is reserved in one of the languages that kernels are "
     "compiled as: expected another name"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, kernel)) {}", "'kernel' can't name an argument"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, new)) {}", "'new' can't name an argument"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, blockDim)) {}", "'blockDim' can't name an argument"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, i32)) {}", "'i32' can't name an argument"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, __x)) {}", "'__x' can't name an argument"},
    {"PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, M_PI)) {}", "'M_PI' can't name an argument"},
    {"// one\n#include <math.h>\nPATCHBAY_KERNEL(f)() {}",
     "line 2: a kernel text includes no files: expected all code in the text itself, got "
     "#include. Example: "},
    {"PATCHBAY_KERNEL(f)() {\n}\n  #  include \"mine.h\"",
     "line 3: a kernel text includes no files"},
    {"\nPATCHBAY_KERNEL(f)() {\n  if (1) {\n}\n",
     "line 2: a brace is not closed: expected a '}' for each '{' from this line on, got the end of "
     "the text. Example: "},
    {"PATCHBAY_KERNEL(f)() {\n\nPATCHBAY_KERNEL(g)() {}",
     "line 1: a brace is not closed: expected a '}' for each '{' from this line on, got another "
     "kernel"},
    {"\n\nPATCHBAY_FUNCTION i32 one() {\n return 1;\nPATCHBAY_KERNEL(g)() {}",
     "line 3: a brace is not closed"},
    {"PATCHBAY_KERNEL(f)(\x01) {}", "'\\x01' stands in the list of arguments"},
};

TEST(KernelSignatureTest, MalformedOnesAreRefusedWithTheirLine) {
  const Device device = test_device("cpu:0");
  for (const Malformed& malformed : kMalformed) {
    SCOPED_TRACE(malformed.text);
    EXPECT_INVALID(KernelModule::from_source(device, malformed.text, {.name = "text.pbk"}),
                   malformed.expected);
  }
}

/// Some compilers stop at it, even in a comment.
TEST(KernelSignatureTest, NulBytesAreRefused) {
  using namespace std::string_view_literals;
  const Device device = test_device("cpu:0");
  for (const std::string_view text :
       {"PATCHBAY_KERNEL(f)() {\n  // a\0b\n}"sv, "PATCHBAY_KERNEL(f)() {\n\0}"sv,
        "\n\0PATCHBAY_KERNEL(f)() {}"sv, "PATCHBAY_KERNEL(f)() {}\n\0"sv}) {
    EXPECT_INVALID(KernelModule::from_source(device, text),
                   "line 2: a NUL byte stands in the text: expected characters only, got '\\x00'");
  }
}

TEST(KernelSignatureTest, MessagesNameTheTextAndShowAnExample) {
  EXPECT_INVALID(
      KernelModule::from_source(test_device("cpu:0"), "int x;", {.name = "a\nb"}),
      "[KernelModule] 'a\\x0ab', line 1: the text has no kernel: expected at least one "
      "PATCHBAY_KERNEL(name)(...). Example: PATCHBAY_KERNEL(scale)(PATCHBAY_INOUT(f32, x)");
}

/// Nothing is refused that compilers take: what is bound by a macro, what is never used, and other
/// things of that name.
TEST(KernelSignatureTest, OnlyUsesWithoutABindingAreRefused) {
  const char* const texts[] = {
      "#define BIND(name) PATCHBAY_BIND(f32, name)\n"
      "PATCHBAY_KERNEL(f)(PATCHBAY_INOUT(f32, x)) { BIND(x); x[0] = 1.0f; }",
      "PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, unused), PATCHBAY_INOUT(f32, x)) {\n"
      " PATCHBAY_BIND(f32, x); x[0] = 1.0f; }",
      "typedef struct { f32 unused; } Pair;\n"
      "PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, unused), PATCHBAY_INOUT(f32, x)) {\n"
      " PATCHBAY_BIND(f32, x); Pair pair; Pair* at = &pair; pair.unused = 1.0f; x[0] = at->unused; "
      "}",
      "#ifdef EDITOR\n#include \"stub.h\"\n#endif\nPATCHBAY_KERNEL(f)() {}",
      "#define END }\nPATCHBAY_KERNEL(f)() { END\nPATCHBAY_KERNEL(g)() {}",
      "PATCHBAY_KERNEL(f)(PATCHBAY_VALUE(i32, n)) {\n#if 1\n if (n > 0) {\n#else\n {\n#endif\n }}",
      "PATCHBAY_KERNEL(f)() { i32 brace = '{'; (void)brace; }  // {",
      "PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, unused)) {}\n"
      "PATCHBAY_FUNCTION f32 twice(f32 unused) { return 2.0f * unused; }\n"
      "PATCHBAY_KERNEL(g)(PATCHBAY_INOUT(f32, x)) { PATCHBAY_BIND(f32, x); x[0] = twice(x[0]); }",
  };
  for (const char* text : texts) {
    SCOPED_TRACE(text);
    EXPECT_NO_THROW(static_cast<void>(KernelModule::from_source(test_device("cpu:0"), text)));
  }
}

TEST(KernelSignatureTest, IsReadAroundCommentsLiteralsAndDirectives) {
  const char* const text = R"(
// PATCHBAY_KERNEL(commented)() {}
#define TEXT "PATCHBAY_KERNEL(defined)() {}" \
  PATCHBAY_KERNEL(continued)() {}
PATCHBAY_FUNCTION i32 quoted() { return '"' + '\'' + '\\'; }
PATCHBAY_KERNEL /* here */ (first)(PATCHBAY_INPUT(bool, mask), // a comment, with a (
    PATCHBAY_OUTPUT(u8, bytes), PATCHBAY_INOUT(i64, sums), PATCHBAY_VALUE(f64, scale),
    PATCHBAY_VALUE(u8, level)) {
  PATCHBAY_BIND_INPUT(bool, mask);
  PATCHBAY_BIND(u8, bytes);
  PATCHBAY_BIND(i64, sums);
  bytes[0] = mask[0] ? level : (u8)0;
  sums[0] = sums[0] + (i64)scale;
}
PATCHBAY_KERNEL(second)() {}
)";
  const KernelModule module = KernelModule::from_source(test_device("cpu:0"), text);
  EXPECT_EQ(module.kernel_names(), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(module.kernel("first").signature(),
            "first(input bool mask, output u8 bytes, inout i64 sums, f64 scale, u8 level)");
  EXPECT_EQ(module.kernel("second").signature(), "second()");
  module.kernel("second").launch({}, {});
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/kernel/kernel_signature.h"

#include <algorithm>
#include <optional>

#include "patchbay/plugin/kernels/dtypes.hpp"
#include "patchbay/plugin/kernels/operators.h"

#include "core/base/error.h"
#include "core/runtime/kernel/kernel_scanner.h"

namespace patchbay::runtime {
namespace {

constexpr std::string_view kExample =
    "Example: PATCHBAY_KERNEL(scale)(PATCHBAY_INOUT(f32, x), PATCHBAY_VALUE(i64, n)) {...}";
constexpr std::string_view kForms =
    "PATCHBAY_INPUT, PATCHBAY_OUTPUT, PATCHBAY_INOUT or PATCHBAY_VALUE";

struct Form {
  std::string_view macro;
  ArgumentSpec::Kind kind;
  Access access;
  std::string_view word;  // in to_string
};
constexpr Form kParameterForms[] = {
    {"PATCHBAY_INPUT", ArgumentSpec::Kind::kTensor, Access::kRead, "input "},
    {"PATCHBAY_OUTPUT", ArgumentSpec::Kind::kTensor, Access::kWrite, "output "},
    {"PATCHBAY_INOUT", ArgumentSpec::Kind::kTensor, Access::kReadWrite, "inout "},
    {"PATCHBAY_VALUE", ArgumentSpec::Kind::kScalar, Access::kRead, ""}};

/// The dialect has no type for 16-bit floats.
constexpr kernels::DtypeSet kDtypes =
    PATCHBAY_SET_ALL & ~kernels::all_of_kind(kernels::DtypeKind::kHalf);

std::optional<DType> dtype_of_token(std::string_view token) {
  for (const DType dtype : kDTypes) {
    if (token != patchbay::to_string(dtype)) continue;
    if (kernels::contains(kDtypes, static_cast<std::uint8_t>(dtype))) return dtype;
  }
  return std::nullopt;
}

bool is_name(std::string_view token) {
  const char first = token.empty() ? '0' : token.front();
  return first == '_' || (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
}

bool is_tensor(const KernelParameter& parameter) {
  return parameter.spec.kind == ArgumentSpec::Kind::kTensor;
}

/// "PATCHBAY_BIND_INPUT(f32, x)"
std::string binding_of(const KernelParameter& parameter) {
  return fmt::format("PATCHBAY_BIND{}({}, {})",
                     parameter.spec.access == Access::kRead ? "_INPUT" : "",
                     patchbay::to_string(parameter.spec.dtype), parameter.name);
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view text_name)
      : scanner_(text), text_name_(text_name) {}

  std::vector<KernelSignature> parse() {
    if (const int line = scanner_.line_of_nul()) {
      fail_on(line, "a NUL byte stands in the text", "characters only, got '\\x00'");
    }
    std::vector<KernelSignature> kernels;
    for (std::string_view token = scanner_.next(); !token.empty(); token = scanner_.next()) {
      if (token != "PATCHBAY_KERNEL") {
        if (depth_ > 0 && is_in_kernel_) read_body(kernels.back(), token);
        count_brace(token);
        continue;
      }
      check_closed("another kernel");
      KernelSignature kernel = parse_kernel();
      const auto same = std::find_if(kernels.begin(), kernels.end(),
                                     [&](const auto& other) { return other.name == kernel.name; });
      if (same != kernels.end()) {
        fail(fmt::format("there are two kernels '{}', the first on line {}", kernel.name,
                         same->line),
             "a name of its own for each");
      }
      kernels.push_back(std::move(kernel));
      depth_ = 1;
      is_in_kernel_ = true;
      line_of_brace_ = scanner_.line();
      bound_.clear();
    }
    if (const int line = scanner_.line_of_include()) {
      fail_on(line, "a kernel text includes no files", "all code in the text itself, got #include");
    }
    check_closed("the end of the text");
    // A macro of the text may contain a binding.
    if (unbound_.line != 0 && !scanner_.is_in_directives("PATCHBAY_BIND")) {
      fail_on(unbound_.line, unbound_.what, unbound_.expected);
    }
    if (kernels.empty()) fail("the text has no kernel", "at least one PATCHBAY_KERNEL(name)(...)");
    return kernels;
  }

 private:
  [[noreturn]] void fail_on(int line, const std::string& what, std::string_view expected) {
    base::raise(ErrorCode::kInvalidArgument, "[KernelModule] {}, line {}: {}: expected {}. {}",
                base::quote(text_name_), line, what, expected, kExample);
  }
  [[noreturn]] void fail(const std::string& what, std::string_view expected) {
    fail_on(scanner_.line(), what, expected);
  }
  [[noreturn]] void fail_at(std::string_view token, const char* where, std::string_view expected) {
    const std::string got = token.empty() ? "the end of the text" : base::quote(token);
    fail(fmt::format("{} stands {}", got, where), expected);
  }

  void expect(std::string_view sign, const char* where) {
    const std::string_view token = scanner_.next();
    if (token != sign) fail_at(token, where, base::quote(sign));
  }
  std::string expect_name(const char* where) {
    const std::string_view token = scanner_.next();
    if (!is_name(token)) fail_at(token, where, "a name");
    if (token.starts_with("patchbay_") || token.starts_with("PATCHBAY_")) {
      fail_at(token, where, "a name that does not begin with patchbay_");
    }
    return std::string(token);
  }

  KernelSignature parse_kernel() {
    KernelSignature kernel;
    kernel.line = scanner_.line();
    expect("(", "after PATCHBAY_KERNEL");
    kernel.name = expect_name("where the kernel's name should");
    expect(")", "after the kernel's name");
    expect("(", "before the kernel's arguments");
    std::string_view token = scanner_.next();
    if (token != ")") {
      kernel.parameters.push_back(parse_parameter(token));
      for (token = scanner_.next(); token == ","; token = scanner_.next()) {
        kernel.parameters.push_back(parse_parameter(scanner_.next()));
        check_unique(kernel);
      }
      if (token != ")") fail_at(token, "after an argument", "',' or ')'");
    }
    expect("{", "after the kernel's arguments");
    return kernel;
  }

  KernelParameter parse_parameter(std::string_view macro) {
    const auto form = std::find_if(std::begin(kParameterForms), std::end(kParameterForms),
                                   [&](const Form& known) { return known.macro == macro; });
    if (form == std::end(kParameterForms)) fail_at(macro, "in the list of arguments", kForms);
    expect("(", "after the form of an argument");
    KernelParameter parameter;
    const std::string_view token = scanner_.next();
    const auto dtype = dtype_of_token(token);
    if (!dtype) fail_at(token, "where a dtype should", "one of " + kernels::list_of(kDtypes));
    if (form->kind == ArgumentSpec::Kind::kScalar && *dtype == DType::boolean) {
      fail("a value can't be a bool", "one of " + kernels::list_of(kDtypes & ~PATCHBAY_SET_BOOLS));
    }
    parameter.spec = form->kind == ArgumentSpec::Kind::kScalar
                         ? ArgumentSpec::scalar(*dtype)
                         : ArgumentSpec::tensor(*dtype, form->access);
    expect(",", "after the dtype of an argument");
    parameter.name = expect_name("where an argument's name should");
    if (is_reserved_word(parameter.name)) {
      fail(fmt::format("'{}' can't name an argument: it is reserved in one of the languages that "
                       "kernels are compiled as",
                       parameter.name),
           "another name");
    }
    expect(")", "after an argument's name");
    return parameter;
  }

  void read_body(const KernelSignature& kernel, std::string_view token) {
    const bool is_member = before_ == "." || (before_ == ">" && before_that_ == "-");
    before_that_ = before_;
    before_ = token;
    if (token == "PATCHBAY_BIND" || token == "PATCHBAY_BIND_INPUT") {
      check_bind(kernel, token);
    } else if (!is_member && unbound_.line == 0) {
      check_bound(kernel, token);
    }
  }

  void count_brace(std::string_view token) {
    if (token == "{" && depth_++ == 0) {
      is_in_kernel_ = false;
      line_of_brace_ = scanner_.line();
    }
    if (token == "}" && depth_ > 0) --depth_;
  }
  /// Compilers would name a line far away, in a text of ours. Braces in a macro, or in the branches
  /// of an #if, are left to them.
  void check_closed(const char* got) {
    if (depth_ == 0) return;
    for (const char* const unsure : {"if", "{", "}"}) {
      if (scanner_.is_in_directives(unsure)) return;
    }
    fail_on(line_of_brace_, "a brace is not closed",
            fmt::format("a '}}' for each '{{' from this line on, got {}", got));
  }

  static const KernelParameter* find(const KernelSignature& kernel, std::string_view name) {
    const auto found =
        std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                     [&](const KernelParameter& parameter) { return parameter.name == name; });
    return found != kernel.parameters.end() ? &*found : nullptr;
  }

  /// A pointer of another dtype, or one that writes to an input, compiles in some dialects. Other
  /// names are left to the compiler.
  void check_bind(const KernelSignature& kernel, std::string_view macro) {
    if (scanner_.next() != "(") return;
    const std::string_view dtype = scanner_.next();
    if (!dtype_of_token(dtype) || scanner_.next() != ",") return;
    const std::string_view name = scanner_.next();
    const KernelParameter* const bound = find(kernel, name);
    if (bound == nullptr) return;
    if (!is_tensor(*bound)) {
      fail(fmt::format("'{}' is a value and needs no binding", name), "its name alone");
    }
    bound_.push_back(name);
    const bool is_input = bound->spec.access == Access::kRead;
    if (dtype != patchbay::to_string(bound->spec.dtype) || (is_input && macro == "PATCHBAY_BIND")) {
      fail(fmt::format("{}({}, {}) does not fit the argument of kernel '{}'", macro, dtype, name,
                       kernel.name),
           binding_of(*bound));
    }
  }

  /// A compiler would only say that the name is undeclared.
  void check_bound(const KernelSignature& kernel, std::string_view name) {
    const KernelParameter* const used = find(kernel, name);
    if (used == nullptr || !is_tensor(*used)) return;
    if (std::find(bound_.begin(), bound_.end(), name) != bound_.end()) return;
    unbound_ = {scanner_.line(),
                fmt::format("'{}' of kernel '{}' is used before it is bound", name, kernel.name),
                binding_of(*used) + "; at the beginning of the kernel"};
  }

  void check_unique(const KernelSignature& kernel) {
    const std::string& name = kernel.parameters.back().name;
    const auto count = std::count_if(kernel.parameters.begin(), kernel.parameters.end(),
                                     [&](const auto& other) { return other.name == name; });
    if (count > 1) fail(fmt::format("two arguments are named '{}'", name), "different names");
  }

  struct Unbound {
    int line = 0;  // 0: none found
    std::string what, expected;
  };

  KernelScanner scanner_;
  std::string_view text_name_;
  int depth_ = 0, line_of_brace_ = 1;      // of braces; the line of the outermost one
  bool is_in_kernel_ = false;              // what the braces enclose is a kernel's body
  std::string_view before_, before_that_;  // the last two tokens of the body
  std::vector<std::string_view> bound_;    // bound arguments of the kernel
  Unbound unbound_;                        // the first use without a binding
};

}  // namespace

std::string KernelSignature::to_string() const {
  std::string text = name + "(";
  for (const KernelParameter& parameter : parameters) {
    if (&parameter != &parameters.front()) text += ", ";
    const auto form = std::find_if(
        std::begin(kParameterForms), std::end(kParameterForms), [&](const Form& known) {
          return known.kind == parameter.spec.kind && known.access == parameter.spec.access;
        });
    text += fmt::format("{}{} {}", form->word, patchbay::to_string(parameter.spec.dtype),
                        parameter.name);
  }
  return text + ")";
}

std::vector<KernelSignature> parse_signatures(std::string_view text, std::string_view text_name) {
  return Parser(text, text_name).parse();
}

}  // namespace patchbay::runtime

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The texts of the portable operators, as a backend gets them.
#ifndef PATCHBAY_TESTS_KIT_PORTABLE_TEXTS_H_
#define PATCHBAY_TESTS_KIT_PORTABLE_TEXTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kit/portable/dtypes.hpp"
#include "kit/portable/elementwise/expressions.hpp"
#include "kit/portable/operators.hpp"

namespace patchbay::test {

struct PortableText {
  std::string name;  // operator and dtypes
  std::string text;
};

/// Keeps what it is to build. Its functions do nothing.
class RecordingBackend : public portable::Backend {
 public:
  explicit RecordingBackend(portable::Traits traits) : traits_(std::move(traits)) {}

  const portable::Traits& traits() const override { return traits_; }
  std::unique_ptr<portable::Program> build(std::string_view text) override {
    last_ = text;
    return std::make_unique<Program>();
  }

  /// The text for a spec, or an empty one if it is refused.
  std::string text_of(std::string_view op, std::vector<patchbay_argument_spec> specs) {
    patchbay_kernel_spec spec{};
    spec.size = sizeof spec;
    spec.op = plugin::to_abi(op);
    spec.arguments = specs.data();
    spec.num_arguments = static_cast<std::uint32_t>(specs.size());
    spec.workspace_limit_bytes = UINT64_MAX;
    try {
      return portable::prepare(*this, spec) != nullptr ? last_ : std::string();
    } catch (const plugin::StatusError& error) {
      return {};
    }
  }

 private:
  struct Function : portable::Function {
    void launch(plugin::Stream&, std::string_view, const portable::Grid&,
                const portable::Arguments&) override {}
  };
  struct Program : portable::Program {
    std::unique_ptr<portable::Function> function(std::string_view) override {
      return std::make_unique<Function>();
    }
  };

  const portable::Traits traits_;
  std::string last_;
};

inline patchbay_argument_spec argument_spec(char kind, std::uint8_t dtype) {
  patchbay_argument_spec spec{};
  if (kind == 'i') return argument_spec('s', PATCHBAY_I64);
  const bool is_scalar = kind == 's';
  spec.kind = is_scalar ? PATCHBAY_SCALAR : PATCHBAY_TENSOR;
  spec.dtype = is_scalar && dtype == PATCHBAY_BOOL ? std::uint8_t{PATCHBAY_U8} : dtype;
  spec.access = kind == 'o' ? PATCHBAY_WRITE : PATCHBAY_READ;
  spec.rank = PATCHBAY_ANY_RANK;
  return spec;
}

/// Of every operator, for each pair of dtypes that it has (of the result, of the operands).
inline std::vector<PortableText> portable_texts(const portable::Traits& traits,
                                                const std::vector<std::uint8_t>& dtypes) {
  std::vector<std::pair<std::string_view, std::string_view>> operators = {
      {"sum.1", "ot"},
      {"sum_squares.1", "ot"},
      {"sum_abs.1", "ot"},
      {"max_abs.1", "ot"},
      {"min.1", "ot"},
      {"max.1", "ot"},
      {"argmin.1", "ot"},
      {"argmax.1", "ot"},
      {"gemm.1", "ottss"},
      // i: a scalar of dtype i64.
      {"uniform.1", "oiiisss"},
      {"normal.1", "oiiiss"},
      {"integers.1", "oiiiii"},
      {"mask.1", "oiiii"},
      {"permutation.1", "ooii"}};
  for (const portable::Expression& expression : portable::expressions()) {
    operators.emplace_back(expression.name, expression.kinds);
  }
  RecordingBackend backend(traits);
  std::vector<PortableText> texts;
  for (const auto& [op, kinds] : operators) {
    for (const std::uint8_t out : dtypes) {
      for (const std::uint8_t in : dtypes) {
        if (kinds.find_first_of("ats") == std::string_view::npos && in != out) continue;
        std::vector<patchbay_argument_spec> specs;
        for (const char kind : kinds) specs.push_back(argument_spec(kind, kind == 'o' ? out : in));
        const portable::Expression* const expression = portable::find_expression(op);
        if (expression != nullptr && expression->rule == portable::Rule::kChoice) {
          specs[1] = argument_spec('t', PATCHBAY_BOOL);
        }
        std::string text = backend.text_of(op, specs);
        if (text.empty()) continue;
        texts.push_back(
            {std::string(op) + '_' + patchbay::dtype_name(out) + '_' + patchbay::dtype_name(in),
             std::move(text)});
      }
    }
  }
  return texts;
}

/// The elementwise text as it is compiled when places do not fit in 32 bits.
inline std::string with_wide_indices(std::string text) {
  const std::string narrow = "typedef i32 INDEX;";
  if (const std::size_t at = text.find(narrow); at != std::string::npos) {
    text.replace(at, narrow.size(), "typedef i64 INDEX;");
  }
  return text;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_KIT_PORTABLE_TEXTS_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The expressions of the elementwise operators, as text of the dialect.
#ifndef PATCHBAY_KIT_PORTABLE_ELEMENTWISE_EXPRESSIONS_HPP_
#define PATCHBAY_KIT_PORTABLE_ELEMENTWISE_EXPRESSIONS_HPP_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace patchbay::portable {

/// The dtypes of the arguments.
enum class Rule : std::uint8_t {
  kSame,     // all have one dtype
  kCompare,  // inputs have one dtype, the result is bool
  kChoice,   // the first input is bool, the rest have one dtype
  kConvert   // each argument has its own dtype
};

struct Expression {
  std::string_view name;  // "add.1"
  Rule rule;
  /// Use the operands, T and W, as in plugin/kernels/elementwise.h, and i (the element's index),
  /// OUT and SUM (a float type for intermediate results). Empty: no kernel for these dtypes.
  std::string_view of_floats, of_integers, of_bools;
  /// A function of floats, which is much faster with vectors.
  bool is_function = false;
  bool uses_index = false;                // uses i, the index in row-major order
  std::string_view operands = "a, b, c";  // the operands' names
};

std::span<const Expression> expressions();
/// Null if no elementwise operator has this name.
const Expression* find_expression(std::string_view name);

/// The expression for result dtype `out` and input dtype `in`; its value is converted to `out`.
/// Empty if there is none.
std::string expression_text(const Expression& expression, std::uint8_t out, std::uint8_t in);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_ELEMENTWISE_EXPRESSIONS_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the elementwise operators compute, as text of the dialect.
#ifndef PATCHBAY_KIT_PORTABLE_ELEMENTWISE_EXPRESSIONS_HPP_
#define PATCHBAY_KIT_PORTABLE_ELEMENTWISE_EXPRESSIONS_HPP_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace patchbay::portable {

/// Which dtypes the arguments have.
enum class Rule : std::uint8_t {
  kSame,     // all one dtype
  kCompare,  // inputs of one dtype, the result bool
  kChoice,   // the first input a bool, the rest one dtype
  kConvert   // each its own
};

struct Expression {
  std::string_view name;   // "add.1"
  std::string_view kinds;  // o a tensor to write, t one to read, s a scalar, a either of these
  Rule rule;
  /// In the operands, T and W, as plugin/kernels/elementwise.h has them, and i (the element's
  /// index), OUT, SUM (a float type for steps). Empty: no such kernel for these dtypes.
  std::string_view of_floats, of_integers, of_bools;
  /// One function of floats, which takes vectors too and gains much from them.
  bool is_function = false;
  bool uses_index = false;                // i, in row-major order
  std::string_view operands = "a, b, c";  // their names
};

/// All of them.
std::span<const Expression> expressions();
/// Null if no elementwise operator has the name.
const Expression* find_expression(std::string_view name);

/// The text for dtypes out and in, whose result the dtype out is rounded from; empty if there is
/// none.
std::string expression_text(const Expression& expression, std::uint8_t out, std::uint8_t in);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_ELEMENTWISE_EXPRESSIONS_HPP_

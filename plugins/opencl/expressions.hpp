// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the elementwise operators compute, as text for kernels/elementwise.cl.
#ifndef PATCHBAY_PLUGINS_OPENCL_EXPRESSIONS_HPP_
#define PATCHBAY_PLUGINS_OPENCL_EXPRESSIONS_HPP_

#include <cstdint>
#include <string>
#include <string_view>

#include "dtypes.hpp"

namespace patchbay::opencl {

/// Which dtypes the arguments have.
enum class Rule : std::uint8_t {
  kSame,     // all one dtype
  kCompare,  // inputs of one dtype, the result bool
  kConvert   // each its own
};

struct Expression {
  std::string_view name;
  std::string_view kinds;  // as check_specs takes them
  Rule rule;
  /// In a, b, i (the element's index), IN, OUT, U (unsigned type of IN's width, at least 32 bits),
  /// SUM (a float type for steps), QUOTIENT and ROOT (of floats, correctly rounded). Empty: no such
  /// kernel for these dtypes.
  std::string_view of_floats, of_signed, of_u8, of_bools;
  /// The text of floats takes vectors too, and gains much from them.
  bool vector_of_floats = false;
};

/// Null if no elementwise operator has the name.
const Expression* find_expression(std::string_view name);

/// The text for dtypes out and in; empty if there is none.
std::string expression_text(const Expression& expression, std::uint8_t out, std::uint8_t in);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_EXPRESSIONS_HPP_

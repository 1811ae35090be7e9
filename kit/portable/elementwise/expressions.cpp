// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/elementwise/expressions.hpp"

#include <algorithm>
#include <iterator>

#include "patchbay/plugin/kernels/elementwise.h"

#include "kit/portable/dtypes.hpp"

namespace patchbay::portable {
namespace {

constexpr std::string_view kNone;

// The integer expression of an operator, chosen by its set of dtypes.
constexpr std::string_view for_FLOATS(std::string_view) { return kNone; }
constexpr std::string_view for_NUMBERS(std::string_view expression) { return expression; }
constexpr std::string_view bools_of_NUMBERS(std::string_view) { return kNone; }
constexpr std::string_view bools_of_ALL(std::string_view expression) { return expression; }
constexpr bool is_function_of_FLOATS = true, is_function_of_NUMBERS = false;

#define PATCHBAY_UNARY(name, dtypes, floats, integers, gradient) \
  Expression{#name ".1",                                         \
             "ot",                                               \
             Rule::kSame,                                        \
             #floats,                                            \
             for_##dtypes(#integers),                            \
             kNone,                                              \
             is_function_of_##dtypes},
#define PATCHBAY_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b) \
  Expression{#name ".1", "oaa", Rule::kSame, #floats, for_##dtypes(#integers), kNone},
#define PATCHBAY_CHOICE(name, dtypes, expression, gradient_a, gradient_b) \
  Expression{#name ".1",                                                  \
             "otaa",                                                      \
             Rule::kChoice,                                               \
             #expression,                                                 \
             #expression,                                                 \
             bools_of_##dtypes(#expression),                              \
             /*is_function=*/false,                                       \
             /*uses_index=*/false,                                        \
             "condition, a, b"},
#define PATCHBAY_BOUNDED(name, dtypes, expression, gradient) \
  Expression{#name ".1",                                     \
             "otss",                                         \
             Rule::kSame,                                    \
             #expression,                                    \
             #expression,                                    \
             bools_of_##dtypes(#expression),                 \
             /*is_function=*/false,                          \
             /*uses_index=*/false,                           \
             "a, low, high"},
#define PATCHBAY_COMPARE(name, dtypes, expression) \
  Expression{#name ".1", "oaa", Rule::kCompare, #expression, #expression, #expression},
#define PATCHBAY_LOGIC(name, num_operands, expression)                                  \
  Expression{#name ".1", (num_operands) == 1 ? "ot" : "oaa", Rule::kSame, kNone, kNone, \
             #expression},

constexpr Expression kExpressions[] = {
    {"fill.1", "os", Rule::kSame, "a", "a", "a"},
    {"copy.1", "ot", Rule::kSame, "a", "a", "a"},
    {"arange.1", "oss", Rule::kSame, "(SUM)a + (SUM)b * (SUM)i", "(W)a + (W)b * (W)i", kNone,
     /*is_function=*/false, /*uses_index=*/true},
    {"cast.1", "ot", Rule::kConvert, kNone, kNone, kNone},
    PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)      //
    PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)    //
    PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_CHOICE)    //
    PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_BOUNDED)  //
    PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_COMPARE)  //
    PATCHBAY_ELEMENTWISE_LOGIC(PATCHBAY_LOGIC)};

/// Converts a float to an integer: truncates and saturates; NaN gives 0.
std::string saturated(std::string_view least, std::string_view most) {
  const std::string low(least), high(most);
  return "a != a ? (OUT)0 : a <= (T)" + low + " ? (OUT)" + low + " : a >= (T)" + high + " ? (OUT)" +
         high + " : (OUT)a";
}

std::string cast_text(std::uint8_t out, std::uint8_t in) {
  if (out == PATCHBAY_BOOL) return "a != 0 ? 1 : 0";
  if (is_small_float(out) && in == PATCHBAY_F64) return "odd_of_f64(a)";
  if (is_small_float(out) && !is_float(in)) return "odd_of_integer(a)";
  if (is_float(in)) {
    if (out == PATCHBAY_I32) return saturated("(-2147483647 - 1)", "2147483647");
    if (out == PATCHBAY_I64) {
      return saturated("(-(i64)0x7fffffffffffffff - 1)", "(i64)0x7fffffffffffffff");
    }
    if (out == PATCHBAY_U8) return saturated("0", "255");
  }
  return "a";
}

}  // namespace

std::span<const Expression> expressions() { return kExpressions; }

const Expression* find_expression(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kExpressions), std::end(kExpressions),
                   [&](const Expression& expression) { return expression.name == name; });
  return found == std::end(kExpressions) ? nullptr : found;
}

std::string expression_text(const Expression& expression, std::uint8_t out, std::uint8_t in) {
  if (expression.rule == Rule::kConvert) return cast_text(out, in);
  const std::string_view text = is_float(in)          ? expression.of_floats
                                : is_integer(in)      ? expression.of_integers
                                : in == PATCHBAY_BOOL ? expression.of_bools
                                                      : kNone;
  if (text.empty() || expression.rule != Rule::kCompare) return std::string(text);
  return "(" + std::string(text) + ") ? 1 : 0";
}

}  // namespace patchbay::portable

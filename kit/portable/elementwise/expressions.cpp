// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/elementwise/expressions.hpp"

#include <algorithm>
#include <iterator>

#include "patchbay/plugin/kernels/elementwise.h"

#include "kit/portable/base/dtypes.hpp"

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
  Expression{                                                    \
      #name ".1", Rule::kSame, #floats, for_##dtypes(#integers), kNone, is_function_of_##dtypes},
#define PATCHBAY_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b) \
  Expression{#name ".1", Rule::kSame, #floats, for_##dtypes(#integers), kNone},
#define PATCHBAY_CHOICE(name, dtypes, expression, gradient_a, gradient_b) \
  Expression{#name ".1",                                                  \
             Rule::kChoice,                                               \
             #expression,                                                 \
             #expression,                                                 \
             bools_of_##dtypes(#expression),                              \
             /*is_function=*/false,                                       \
             /*uses_index=*/false,                                        \
             "condition, a, b"},
#define PATCHBAY_BOUNDED(name, dtypes, expression, gradient) \
  Expression{#name ".1",                                     \
             Rule::kSame,                                    \
             #expression,                                    \
             #expression,                                    \
             bools_of_##dtypes(#expression),                 \
             /*is_function=*/false,                          \
             /*uses_index=*/false,                           \
             "a, low, high"},
#define PATCHBAY_COMPARE(name, dtypes, expression) \
  Expression{#name ".1", Rule::kCompare, #expression, #expression, #expression},
#define PATCHBAY_TEST(name, dtypes, expression) \
  Expression{#name ".1", Rule::kCompare, #expression, for_##dtypes(#expression), kNone},
#define PATCHBAY_LOGIC(name, num_operands, expression) \
  Expression{#name ".1", Rule::kSame, kNone, kNone, #expression},

constexpr Expression kExpressions[] = {
    {"fill.1", Rule::kSame, "a", "a", "a"},
    {"copy.1", Rule::kSame, "a", "a", "a"},
    {"arange.1", Rule::kSame, "(SUM)a + (SUM)b * (SUM)i", "(W)a + (W)b * (W)i", kNone,
     /*is_function=*/false, /*uses_index=*/true},
    {"cast.1", Rule::kConvert, kNone, kNone, kNone},
    PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)      //
    PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)    //
    PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_CHOICE)    //
    PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_BOUNDED)  //
    PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_COMPARE)  //
    PATCHBAY_ELEMENTWISE_TEST(PATCHBAY_TEST)        //
    PATCHBAY_ELEMENTWISE_LOGIC(PATCHBAY_LOGIC)};

/// Converts a float to an integer: truncates and saturates; NaN gives 0.
std::string saturated(std::uint8_t out) {
  const std::string least = least_text(out), most = most_text(out);
  return "a != a ? (OUT)0 : a <= (T)" + least + " ? (OUT)" + least + " : a >= (T)" + most +
         " ? (OUT)" + most + " : (OUT)a";
}

std::string cast_text(std::uint8_t out, std::uint8_t in) {
  if (out == PATCHBAY_BOOL) return "a != 0 ? 1 : 0";
  if (is_small_float(out) && in == PATCHBAY_F64) return "odd_of_f64(a)";
  if (is_small_float(out) && !is_float(in)) {
    return is_signed_integer(in) ? "odd_of_signed(a)" : "odd_of_unsigned(a)";
  }
  return is_float(in) && is_integer(out) ? saturated(out) : "a";
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

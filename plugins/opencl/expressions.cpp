// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "expressions.hpp"

#include <algorithm>
#include <iterator>

namespace patchbay::opencl {
namespace {

constexpr std::string_view kNone;
// Division by 0 and the one quotient that does not fit never reach the divider.
constexpr std::string_view kSignedQuotient =
    "b == 0 ? (IN)0 : b == -1 ? (IN)((U)0 - (U)a) : (IN)(a / (b == 0 || b == -1 ? (IN)1 : b))";
constexpr std::string_view kUnsignedQuotient = "b == 0 ? (IN)0 : (IN)(a / (b == 0 ? (IN)1 : b))";

constexpr Expression kExpressions[] = {
    {"fill.1", "os", Rule::kSame, "a", "a", "a", "a"},
    {"copy.1", "ot", Rule::kSame, "a", "a", "a", "a"},
    {"arange.1", "oss", Rule::kSame, "(OUT)((SUM)a + (SUM)b * (SUM)i)", "(OUT)((U)a + (U)b * (U)i)",
     "(OUT)((U)a + (U)b * (U)i)", kNone},
    {"cast.1", "ot", Rule::kConvert, "(OUT)a", "(OUT)a", "(OUT)a", "(OUT)a"},

    {"add.1", "oaa", Rule::kSame, "a + b", "(OUT)((U)a + (U)b)", "(OUT)((U)a + (U)b)", kNone},
    {"sub.1", "oaa", Rule::kSame, "a - b", "(OUT)((U)a - (U)b)", "(OUT)((U)a - (U)b)", kNone},
    {"mul.1", "oaa", Rule::kSame, "a * b", "(OUT)((U)a * (U)b)", "(OUT)((U)a * (U)b)", kNone},
    {"div.1", "oaa", Rule::kSame, "QUOTIENT(a, b)", kSignedQuotient, kUnsignedQuotient, kNone},
    {"maximum.1", "oaa", Rule::kSame, "a != a || a > b ? a : b", "a > b ? a : b", "a > b ? a : b",
     kNone},
    {"minimum.1", "oaa", Rule::kSame, "a != a || a < b ? a : b", "a < b ? a : b", "a < b ? a : b",
     kNone},

    {"eq.1", "oaa", Rule::kCompare, "a == b", "a == b", "a == b", "a == b"},
    {"ne.1", "oaa", Rule::kCompare, "a != b", "a != b", "a != b", "a != b"},
    {"lt.1", "oaa", Rule::kCompare, "a < b", "a < b", "a < b", "a < b"},
    {"le.1", "oaa", Rule::kCompare, "a <= b", "a <= b", "a <= b", "a <= b"},
    {"gt.1", "oaa", Rule::kCompare, "a > b", "a > b", "a > b", "a > b"},
    {"ge.1", "oaa", Rule::kCompare, "a >= b", "a >= b", "a >= b", "a >= b"},
    {"logical_and.1", "oaa", Rule::kSame, kNone, kNone, kNone, "(OUT)(a & b)"},
    {"logical_or.1", "oaa", Rule::kSame, kNone, kNone, kNone, "(OUT)(a | b)"},
    {"logical_not.1", "ot", Rule::kSame, kNone, kNone, kNone, "(OUT)(a ^ 1)"},

    {"neg.1", "ot", Rule::kSame, "-a", "(OUT)((U)0 - (U)a)", "(OUT)((U)0 - (U)a)", kNone},
    {"abs.1", "ot", Rule::kSame, "fabs(a)", "a < 0 ? (OUT)((U)0 - (U)a) : a", "a", kNone},
    {"square.1", "ot", Rule::kSame, "a * a", "(OUT)((U)a * (U)a)", "(OUT)((U)a * (U)a)", kNone},
    {"sqrt.1", "ot", Rule::kSame, "ROOT(a)", kNone, kNone, kNone, true},
    {"exp.1", "ot", Rule::kSame, "exp(a)", kNone, kNone, kNone, true},
    {"log.1", "ot", Rule::kSame, "log(a)", kNone, kNone, kNone, true},
};

/// From a float to an integer: truncated, saturated, NaN gives 0.
std::string saturated(std::string_view least, std::string_view most) {
  const std::string low(least), high(most);
  return "a != a ? (OUT)0 : a <= (IN)" + low + " ? (OUT)" + low + " : a >= (IN)" + high +
         " ? (OUT)" + high + " : (OUT)a";
}

std::string cast_text(std::uint8_t out, std::uint8_t in) {
  if (out == PATCHBAY_BOOL) return "(OUT)(a != 0 ? 1 : 0)";
  if (is_float(in)) {
    if (out == PATCHBAY_I32) return saturated("(-2147483647 - 1)", "2147483647");
    if (out == PATCHBAY_I64)
      return saturated("(-9223372036854775807L - 1)", "9223372036854775807L");
    if (out == PATCHBAY_U8) return saturated("0", "255");
  }
  return "(OUT)a";
}

}  // namespace

const Expression* find_expression(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kExpressions), std::end(kExpressions),
                   [&](const Expression& expression) { return expression.name == name; });
  return found == std::end(kExpressions) ? nullptr : found;
}

std::string expression_text(const Expression& expression, std::uint8_t out, std::uint8_t in) {
  if (expression.rule == Rule::kConvert) return cast_text(out, in);
  const std::string_view text = is_float(in)            ? expression.of_floats
                                : is_signed_integer(in) ? expression.of_signed
                                : in == PATCHBAY_U8     ? expression.of_u8
                                : in == PATCHBAY_BOOL   ? expression.of_bools
                                                        : kNone;
  return std::string(text);
}

}  // namespace patchbay::opencl

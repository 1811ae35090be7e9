// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/folds.hpp"

#include <algorithm>
#include <iterator>

#include "patchbay/plugin/kernels/signatures.hpp"

#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/text.hpp"

namespace patchbay::portable {
namespace {

using Family = Fold::Family;

constexpr std::string_view kNone;
constexpr std::string_view kMagnitude = "(x < 0 ? (ACC)0 - (ACC)(x) : (ACC)(x))";

constexpr Fold kFolds[] = {
    {"sum.1", Family::kSum, false, "(ACC)(x)", "(ACC)(x)", "(ACC)(x)"},
    {"sum_squares.1", Family::kSum, false, "(ACC)(x) * (ACC)(x)", "(ACC)(x) * (ACC)(x)",
     "(ACC)(x) * (ACC)(x)"},
    {"sum_abs.1", Family::kSum, false, "fabs((ACC)(x))", kMagnitude, "(ACC)(x)"},
    {"prod.1", Family::kProduct, false, "(ACC)(x)", "(ACC)(x)", "(ACC)(x)"},
    {"max_abs.1", Family::kMaxAbs, true, "fabs((ACC)(x))", kMagnitude, "(ACC)(x)"},
    {"min.1", Family::kExtreme, false, kNone, kNone, kNone},
    {"max.1", Family::kExtreme, true, kNone, kNone, kNone},
    {"argmin.1", Family::kPosition, false, kNone, kNone, kNone},
    {"argmax.1", Family::kPosition, true, kNone, kNone, kNone},
};

constexpr Fold kMoments[2][2] = {
    {{"moment.1", Family::kSum, false, "(ACC)(x)", kNone, kNone, true, false},
     {"moment.1", Family::kSum, false, "(ACC)(x)", kNone, kNone, true, true}},
    {{"moment.1", Family::kSum, false, "(ACC)(x) * (ACC)(x)", kNone, kNone, true, false},
     {"moment.1", Family::kSum, false, "(ACC)(x) * (ACC)(x)", kNone, kNone, true, true}}};

/// The initial value of an extreme, which no element is worse than.
std::string worst(bool greatest, std::uint8_t in) {
  if (is_float(in)) return greatest ? "(T)-PATCHBAY_INFINITY" : "(T)PATCHBAY_INFINITY";
  return greatest ? least_text(in) : most_text(in);
}

std::string accumulator(const Fold& fold, std::uint8_t in, const Traits& traits) {
  switch (fold.family) {
    case Family::kExtreme: return value_type(in);
    case Family::kPosition: return "Best";
    case Family::kMaxAbs: return is_float(in) ? value_type(in) : "u64";
    default:
      if (!is_float(in)) return "u64";
      // Sums and products of f32 are accumulated in f64 if the device supports it.
      return traits.has_f64 ? "f64" : value_type(in);
  }
}

/// Converts an accumulator to an element. An f64 is rounded to a small float in one step.
std::string result_text(const Fold& fold, std::uint8_t in, const Traits& traits) {
  const std::uint8_t out = fold_result(fold, in);
  if (fold.divides) {
    const std::string quotient = "PATCHBAY_DIVIDE(acc, (ACC)divisor)";
    return "((OUT)" + (fold.has_root ? "PATCHBAY_SQRT(" + quotient + ")" : quotient) + ")";
  }
  if (!is_small_float(out)) return "((OUT)(acc))";
  const bool is_wide = accumulator(fold, in, traits) == "f64";
  return stored(out, is_wide ? "odd_of_f64(acc)" : "acc");
}

std::string steps_of_terms(const Fold& fold, std::uint8_t in) {
  const std::string term(is_float(in)            ? fold.of_floats
                         : is_signed_integer(in) ? fold.of_signed
                                                 : fold.of_unsigned);
  if (fold.family != Family::kMaxAbs) {
    const bool adds = fold.family == Family::kSum;
    const std::string sign = adds ? " + " : " * ";
    return define("INIT", adds ? "(ACC)0" : "(ACC)1") +
           define("STEP(acc, x, at)", "((acc)" + sign + term + ")") +
           define("MERGE(acc, other)", "((acc)" + sign + "(other))");
  }
  // Keep a NaN.
  const std::string text = define("INIT", "(ACC)0") +
                           "PATCHBAY_FUNCTION ACC larger(const ACC acc, const ACC m) {\n"
                           "  return acc != acc || m <= acc ? acc : m;\n}\n";
  return text + define("STEP(acc, x, at)", "larger(acc, " + term + ")") +
         define("MERGE(acc, other)", "larger(acc, other)");
}

std::string steps_of_extreme(const Fold& fold, std::uint8_t in) {
  const std::string stays = fold.greatest ? ">=" : "<=";
  return define("INIT", worst(fold.greatest, in)) +
         "PATCHBAY_FUNCTION ACC better(const ACC acc, const ACC x) {\n"
         "  return acc != acc || acc " +
         stays + " x ? acc : x;\n}\n" + define("STEP(acc, x, at)", "better(acc, x)") +
         define("MERGE(acc, other)", "better(acc, other)");
}

std::string steps_of_position(const Fold& fold, std::uint8_t in) {
  // Some compilers (rusticl) can't handle a struct of a byte and an index.
  const bool is_byte = element_bytes(in) == 1;
  return define("HELD", is_byte ? "i32" : "T") +
         define("INIT", "best_at(" + worst(fold.greatest, in) + ", (i64)0x7fffffffffffffff)") +
         define("BEATS(a, b)", fold.greatest ? "((a) > (b))" : "((a) < (b))") +
         define("IS_NAN(x)", is_float(in) ? "((x) != (x))" : "0") +
         define("STEP(acc, x, at)", "best_of(acc, best_at(x, at))") +
         define("MERGE(acc, other)", "best_of(acc, other)");
}

}  // namespace

const Fold* find_fold(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kFolds), std::end(kFolds),
                                         [&](const Fold& fold) { return fold.name == name; });
  return found == std::end(kFolds) ? nullptr : found;
}

const Fold& moment_fold(bool of_squares, bool has_root) {
  return kMoments[of_squares ? 1 : 0][has_root ? 1 : 0];
}

std::uint8_t fold_result(const Fold& fold, std::uint8_t in) {
  return kernels::result_dtype(kernels::find_signature(fold.name)->result, in);
}

std::string fold_text(const Fold& fold, std::uint8_t in, const Traits& traits) {
  std::string text =
      conversions_of(in, traits) + alias("T", value_type(in)) + alias("IN", element_type(in)) +
      define("LOAD(element)", is_small_float(in) ? loaded(in, "element") : "element") +
      alias("OUT", element_type(fold_result(fold, in))) +
      define("ACC", accumulator(fold, in, traits)) + define("ARG", fold.is_position() ? 1 : 0) +
      define("DIVISOR", fold.divides ? ", PATCHBAY_VALUE_OF(T, divisor)" : "") +
      define("RESULT(acc)", fold.is_position() ? "((acc).index)" : result_text(fold, in, traits));
  switch (fold.family) {
    case Family::kExtreme: return text + steps_of_extreme(fold, in);
    case Family::kPosition: return text + steps_of_position(fold, in);
    default: return text + steps_of_terms(fold, in);
  }
}

}  // namespace patchbay::portable

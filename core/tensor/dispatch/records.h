// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The operators' records. Included by operators.h.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_RECORDS_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_RECORDS_H_

#include <array>
#include <string_view>

#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

namespace records {

inline constexpr const char* kBroadcast = "a, b: any that broadcast; out: the broadcast shape";
inline constexpr const char* kOneShape = "a, out: one shape";
inline constexpr const char* kReduced = "a: any; out: without the reduced axes, or with extent 1";

constexpr Operator unary(const char* name, const char* kernel, DTypes dtypes, Ulps bound,
                         const char* source) {
  return {name,   kernel,        "elementwise", "ot",    kOneShape,
          dtypes, Result::kSame, bound,         nullptr, source};
}
constexpr Operator binary(const char* name, const char* kernel, DTypes dtypes, Ulps bound,
                          const char* source) {
  return {name,   kernel,        "elementwise", "oaa",   kBroadcast,
          dtypes, Result::kSame, bound,         nullptr, source};
}
constexpr Operator comparison(const char* name, const char* kernel, const char* source) {
  return {name, kernel,           "comparison", "oaa",   kBroadcast,
          kAll, Result::kBoolean, kRounded,     nullptr, source};
}
constexpr Operator logic(const char* name, const char* kernel, const char* arguments,
                         const char* shapes, const char* source) {
  return {name,      kernel,           "logic",  arguments, shapes,
          kBooleans, Result::kBoolean, kRounded, nullptr,   source};
}
constexpr Operator reduction(const char* name, const char* kernel, DTypes dtypes, Result result,
                             Ulps bound, const char* derivative, const char* source) {
  return {name, kernel, "reduction", "ot", kReduced, dtypes, result, bound, derivative, source};
}

constexpr Operator random(const char* name, const char* kernel, const char* arguments,
                          const char* shapes, DTypes dtypes, Ulps bound, const char* source) {
  return {name, kernel, "random", arguments, shapes, dtypes, Result::kSame, bound, nullptr, source};
}

template <std::size_t N>
constexpr std::array<Operator, N> numbered(std::array<Operator, N> operators) {
  for (std::size_t i = 0; i < N; ++i) operators[i].id = static_cast<std::uint8_t>(i);
  return operators;
}

inline constexpr const char* kArithmetic = "IEEE 754-2019, 5.4.1; integers modulo 2^bits";
inline constexpr const char* kSign = "IEEE 754-2019, 5.5.1; integers modulo 2^bits";
inline constexpr const char* kCompared = "IEEE 754-2019, 5.11";

}  // namespace records

/// In the order of the documentation.
inline constexpr auto kOperators = records::numbered(std::to_array<Operator>({
    {"fill", "fill.1", "memory", "os", "out: any; value: a number", kAll, Result::kSame, kRounded,
     nullptr, "out = value"},
    {"copy", "copy.1", "memory", "ot", records::kOneShape, kAll, Result::kSame, kRounded, "grad",
     "out = a"},
    {"cast", "cast.1", "memory", "ot", records::kOneShape, kAll, Result::kChosen, kRounded,
     "grad, cast back; none unless both are floats",
     "IEEE 754-2019, 5.4.1, to nearest even; to integers truncated and saturated, NaN to 0"},
    {"arange", "arange.1", "memory", "oss", "out [n]; start, step: numbers", kNumbers,
     Result::kSame, of_result(1, 1), nullptr, "out[i] = start + i step"},
    {"gather", "gather.1", "memory", "otxi",
     "out, index (i64, i32): one shape; a: the same but along dim; dim: i64", kAll, Result::kSame,
     kRounded, "grad, added to zeros as by scatter_add",
     "out[.., i, ..] = a[.., index[.., i, ..], ..] along dim"},
    {"scatter_add", "scatter_add.1", "memory", "uxti",
     "index (i64, i32), source: one shape; out: the same but along dim; dim: i64",
     kNumbers & ~kSmallFloats, Result::kSame, of_terms(64, 64), "out: grad; source: gather of grad",
     "out[.., index[.., i, ..], ..] += source[.., i, ..] along dim, in the order of i, each sum "
     "rounded; the bound is that of 128 terms"},

    records::binary("add", "add.1", kNumbers, kRounded, records::kArithmetic),
    records::binary("sub", "sub.1", kNumbers, kRounded, records::kArithmetic),
    records::binary("mul", "mul.1", kNumbers, kRounded, records::kArithmetic),
    records::binary("div", "div.1", kNumbers, kRounded,
                    "IEEE 754-2019, 5.4.1; integers truncate, and give 0 for a zero divisor"),
    records::binary("maximum", "maximum.1", kNumbers, kRounded,
                    "IEEE 754-2019, 9.6: NaN propagates; of two zeros the second"),
    records::binary("minimum", "minimum.1", kNumbers, kRounded,
                    "IEEE 754-2019, 9.6: NaN propagates; of two zeros the second"),
    records::binary("pow", "pow.1", kFloats, of_result(16, 16), "IEEE 754-2019, 9.2.1"),

    records::unary("neg", "neg.1", kNumbers, kRounded, records::kSign),
    records::unary("abs", "abs.1", kNumbers, kRounded, records::kSign),
    records::unary("square", "square.1", kNumbers, kRounded, "a a; integers modulo 2^bits"),
    records::unary("relu", "relu.1", kNumbers, kRounded, "0 where a < 0, else a: NaN and -0 stay"),
    records::unary("sqrt", "sqrt.1", kFloats, kRounded, "IEEE 754-2019, 5.4.1"),
    records::unary("exp", "exp.1", kFloats, of_result(3, 3), "IEEE 754-2019, 9.2.1"),
    records::unary("log", "log.1", kFloats, of_result(3, 3), "IEEE 754-2019, 9.2.1"),
    records::unary("rsqrt", "rsqrt.1", kFloats, of_result(2, 2), "IEEE 754-2019, 9.2.1"),
    records::unary("sigmoid", "sigmoid.1", kFloats, of_result(5, 5), "1 / (1 + exp(-a))"),
    records::unary("tanh", "tanh.1", kFloats, of_result(5, 5), "IEEE 754-2019, 9.2.1"),
    records::unary("erf", "erf.1", kFloats, of_result(16, 16),
                   "Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 7.1.1"),
    records::unary("gelu", "gelu.1", kFloats, of_result(20, 20),
                   "a / 2 (1 + erf(a / sqrt 2)); Hendrycks and Gimpel, Gaussian Error Linear "
                   "Units, 2016, arXiv 1606.08415"),

    {"where", "where.1", "elementwise", "ocaa",
     "condition (bool), a, b: any that broadcast; out: the broadcast shape", kAll, Result::kSame,
     kRounded, nullptr, "condition ? a : b"},
    {"clamp", "clamp.1", "elementwise", "otss", "a, out: one shape; low <= high: numbers", kNumbers,
     Result::kSame, kRounded, nullptr, "minimum of high and the maximum of low and a: NaN stays"},

    records::comparison("eq", "eq.1", records::kCompared),
    records::comparison("ne", "ne.1", records::kCompared),
    records::comparison("lt", "lt.1", records::kCompared),
    records::comparison("le", "le.1", records::kCompared),
    records::comparison("gt", "gt.1", records::kCompared),
    records::comparison("ge", "ge.1", records::kCompared),

    records::logic("logical_and", "logical_and.1", "oaa", records::kBroadcast, "a and b"),
    records::logic("logical_or", "logical_or.1", "oaa", records::kBroadcast, "a or b"),
    records::logic("logical_not", "logical_not.1", "ot", records::kOneShape, "not a"),

    records::reduction("sum", "sum.1", kAll, Result::kTotal, of_terms(64, 64), "grad, broadcast",
                       "sum of a; integers modulo 2^64"),
    records::reduction("sum_squares", "sum_squares.1", kNumbers, Result::kTotal, of_terms(64, 64),
                       "2 a grad", "sum of a a; integers modulo 2^64"),
    records::reduction("sum_abs", "sum_abs.1", kFloats, Result::kSame, of_terms(64, 64),
                       "sign(a) grad", "sum of |a|"),
    records::reduction("max_abs", "max_abs.1", kFloats, Result::kSame, kRounded,
                       "sign(a) grad / n where |a| = out, n of them",
                       "maximum of |a|: NaN propagates"),
    records::reduction("min", "min.1", kAll, Result::kSame, kRounded,
                       "grad / n where a = out, n of them", "minimum of a: NaN propagates"),
    records::reduction("max", "max.1", kAll, Result::kSame, kRounded,
                       "grad / n where a = out, n of them", "maximum of a: NaN propagates"),
    records::reduction("argmin", "argmin.1", kAll, Result::kIndex, kRounded, nullptr,
                       "index of the minimum: the first NaN, else the lowest"),
    records::reduction("argmax", "argmax.1", kAll, Result::kIndex, kRounded, nullptr,
                       "index of the maximum: the first NaN, else the lowest"),

    records::random("uniform", "uniform.1", "oiiisss",
                    "out: any; seed, offset, base: i64; low, width, most: numbers", kFloats,
                    kRounded, "min(low + u width, most), u = draw / 2^24, of f64 draw / 2^53"),
    records::random("normal", "normal.1", "oiiiss",
                    "out: any; seed, offset, base: i64; mean, deviation: numbers", kFloats,
                    of_terms(4, 4),
                    "mean + deviation z: Box and Muller, A Note on the Generation of Random Normal "
                    "Deviates, 1958"),
    records::random("integers", "integers.1", "oiiiii",
                    "out: any; seed, offset, base, low, range: i64", kIntegers, kRounded,
                    "low + floor(draw range / 2^bits), draws of 32 bits, 64 if range > 2^32"),
    records::random("mask", "mask.1", "oiiii", "out: any; seed, offset, base, threshold: i64",
                    kBooleans, kRounded, "draw < threshold, draws of 32 bits"),
    records::random("permutation", "permutation.1", "ouii",
                    "out [n]; scratch [2 n + 64]; seed, offset: i64", kIndices, kRounded,
                    "0 to n - 1 in the order of (draw, index), draws of 64 bits"),

    {"gemm", "gemm.1", "matrix", "uttss",
     "out [..., m, n]; a [..., m, k]; b [..., k, n], leading dimensions "
     "broadcast; alpha, beta: numbers",
     kMatrix, Result::kSame, of_terms(512, 512),
     "a: alpha grad b^T; b: alpha a^T grad; out: beta grad",
     "Dongarra et al., A Set of Level 3 Basic Linear Algebra Subprograms, 1990"},
}));

/// The record of that name, at compile time: `record("add")`.
consteval const Operator& record(std::string_view name) {
  for (const Operator& op : kOperators) {
    if (name == op.name) return op;
  }
  throw "no such operator";
}

/// `op::add` and so on.
namespace op {
#define PATCHBAY_NAMED(name) inline constexpr const Operator& name = record(#name)
PATCHBAY_NAMED(fill);
PATCHBAY_NAMED(copy);
PATCHBAY_NAMED(cast);
PATCHBAY_NAMED(arange);
PATCHBAY_NAMED(gather);
PATCHBAY_NAMED(scatter_add);
PATCHBAY_NAMED(add);
PATCHBAY_NAMED(sub);
PATCHBAY_NAMED(mul);
PATCHBAY_NAMED(div);
PATCHBAY_NAMED(maximum);
PATCHBAY_NAMED(minimum);
PATCHBAY_NAMED(pow);
PATCHBAY_NAMED(neg);
PATCHBAY_NAMED(abs);
PATCHBAY_NAMED(square);
PATCHBAY_NAMED(relu);
PATCHBAY_NAMED(sqrt);
PATCHBAY_NAMED(exp);
PATCHBAY_NAMED(log);
PATCHBAY_NAMED(rsqrt);
PATCHBAY_NAMED(sigmoid);
PATCHBAY_NAMED(tanh);
PATCHBAY_NAMED(erf);
PATCHBAY_NAMED(gelu);
PATCHBAY_NAMED(where);
PATCHBAY_NAMED(clamp);
PATCHBAY_NAMED(eq);
PATCHBAY_NAMED(ne);
PATCHBAY_NAMED(lt);
PATCHBAY_NAMED(le);
PATCHBAY_NAMED(gt);
PATCHBAY_NAMED(ge);
PATCHBAY_NAMED(logical_and);
PATCHBAY_NAMED(logical_or);
PATCHBAY_NAMED(logical_not);
PATCHBAY_NAMED(sum);
PATCHBAY_NAMED(sum_squares);
PATCHBAY_NAMED(sum_abs);
PATCHBAY_NAMED(max_abs);
PATCHBAY_NAMED(min);
PATCHBAY_NAMED(max);
PATCHBAY_NAMED(argmin);
PATCHBAY_NAMED(argmax);
PATCHBAY_NAMED(uniform);
PATCHBAY_NAMED(normal);
PATCHBAY_NAMED(integers);
PATCHBAY_NAMED(mask);
PATCHBAY_NAMED(permutation);
PATCHBAY_NAMED(gemm);
#undef PATCHBAY_NAMED
}  // namespace op

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_RECORDS_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The elementwise functions. tests/docs/check_elementwise.py --write makes this file from the
// operators' records (plugin/kernels/elementwise.h). ops.h states the rules for all operations.
//
// Floats are f32, f64, f16 and bf16; numbers are floats, i32, i64 and u8. f16 and bf16 are computed
// in f32 and rounded once.
#ifndef PATCHBAY_ELEMENTWISE_H_
#define PATCHBAY_ELEMENTWISE_H_

#include "patchbay/export.h"
#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

namespace patchbay {

class PATCHBAY_API Expression;  // of fuse.h

// The other forms of a function: into a tensor, and in a fused expression.
#define PATCHBAY_BINARY_FORMS(name)                                                           \
  PATCHBAY_API const Tensor& name##_out(const Tensor& out, const Tensor& a, const Tensor& b); \
  PATCHBAY_API const Tensor& name##_out(const Tensor& out, const Tensor& a, const Scalar& b); \
  PATCHBAY_API const Tensor& name##_out(const Tensor& out, const Scalar& a, const Tensor& b); \
  [[nodiscard]] PATCHBAY_API Expression name(const Expression& a, const Expression& b);       \
  [[nodiscard]] PATCHBAY_API Expression name(const Expression& a, const Scalar& b);           \
  [[nodiscard]] PATCHBAY_API Expression name(const Scalar& a, const Expression& b);
#define PATCHBAY_UNARY_FORMS(name)                                           \
  PATCHBAY_API const Tensor& name##_out(const Tensor& out, const Tensor& a); \
  [[nodiscard]] PATCHBAY_API Expression name(const Expression& a);

// Arithmetic.
/// a + b; integers wrap around. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor add(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor add(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor add(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(add)
/// a - b; integers wrap around. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor sub(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor sub(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor sub(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(sub)
/// a * b; integers wrap around. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor mul(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor mul(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor mul(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(mul)
/// a / b; integers truncate, and give 0 where b is 0. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor div(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor div(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor div(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(div)
/// The larger of a and b; NaN if either is NaN; of two zeros b. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor maximum(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor maximum(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor maximum(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(maximum)
/// The smaller of a and b; NaN if either is NaN; of two zeros b. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor minimum(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor minimum(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor minimum(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(minimum)
/// a to the power b; 1 where b is 0 or a is 1, even for NaN. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor pow(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor pow(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor pow(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(pow)
/// The angle of the point (b, a), from -pi to pi. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor atan2(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor atan2(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor atan2(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(atan2)
/// a - b * floor(a / b), exact up to the last sum; integers give 0 where b is 0. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor remainder(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor remainder(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor remainder(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(remainder)
/// a where a > 0, else a * b. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor leaky_relu(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor leaky_relu(const Tensor& a, const Scalar& b = 0.01);
[[nodiscard]] PATCHBAY_API Tensor leaky_relu(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(leaky_relu)
PATCHBAY_API const Tensor& leaky_relu_out(const Tensor& out, const Tensor& a,
                                          const Scalar& b = 0.01);
[[nodiscard]] PATCHBAY_API Expression leaky_relu(const Expression& a, const Scalar& b = 0.01);
/// a where a > 0, else b * (exp(a) - 1). Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor elu(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor elu(const Tensor& a, const Scalar& b = 1);
[[nodiscard]] PATCHBAY_API Tensor elu(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(elu)
PATCHBAY_API const Tensor& elu_out(const Tensor& out, const Tensor& a, const Scalar& b = 1);
[[nodiscard]] PATCHBAY_API Expression elu(const Expression& a, const Scalar& b = 1);

// Functions.
/// -a; integers wrap around. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor neg(const Tensor& a);
PATCHBAY_UNARY_FORMS(neg)
/// |a|; integers wrap around. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor abs(const Tensor& a);
PATCHBAY_UNARY_FORMS(abs)
/// a * a; integers wrap around. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor square(const Tensor& a);
PATCHBAY_UNARY_FORMS(square)
/// 0 where a < 0, else a; NaN and -0 stay. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor relu(const Tensor& a);
PATCHBAY_UNARY_FORMS(relu)
/// The square root of a; NaN where a < 0. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor sqrt(const Tensor& a);
PATCHBAY_UNARY_FORMS(sqrt)
/// 1 / sqrt(a); infinite at 0, NaN where a < 0. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor rsqrt(const Tensor& a);
PATCHBAY_UNARY_FORMS(rsqrt)
/// e to the power a. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor exp(const Tensor& a);
PATCHBAY_UNARY_FORMS(exp)
/// The natural logarithm of a; -infinity at 0, NaN where a < 0. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor log(const Tensor& a);
PATCHBAY_UNARY_FORMS(log)
/// 1 / (1 + exp(-a)). Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor sigmoid(const Tensor& a);
PATCHBAY_UNARY_FORMS(sigmoid)
/// The hyperbolic tangent of a. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor tanh(const Tensor& a);
PATCHBAY_UNARY_FORMS(tanh)
/// The error function of a. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor erf(const Tensor& a);
PATCHBAY_UNARY_FORMS(erf)
/// a / 2 * (1 + erf(a / sqrt(2))). Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor gelu(const Tensor& a);
PATCHBAY_UNARY_FORMS(gelu)
/// The sine of a, in radians; NaN where a is infinite. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor sin(const Tensor& a);
PATCHBAY_UNARY_FORMS(sin)
/// The cosine of a, in radians; NaN where a is infinite. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor cos(const Tensor& a);
PATCHBAY_UNARY_FORMS(cos)
/// The tangent of a, in radians; NaN where a is infinite. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor tan(const Tensor& a);
PATCHBAY_UNARY_FORMS(tan)
/// 2 to the power a. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor exp2(const Tensor& a);
PATCHBAY_UNARY_FORMS(exp2)
/// exp(a) - 1, accurate near 0. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor expm1(const Tensor& a);
PATCHBAY_UNARY_FORMS(expm1)
/// log(1 + a), accurate near 0; -infinity at -1, NaN below. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor log1p(const Tensor& a);
PATCHBAY_UNARY_FORMS(log1p)
/// The logarithm of a to base 2; -infinity at 0, NaN where a < 0. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor log2(const Tensor& a);
PATCHBAY_UNARY_FORMS(log2)
/// The nearest integer not above a; integers stay. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor floor(const Tensor& a);
PATCHBAY_UNARY_FORMS(floor)
/// The nearest integer not below a; integers stay. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor ceil(const Tensor& a);
PATCHBAY_UNARY_FORMS(ceil)
/// The nearest integer, of two the even one; integers stay. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor round(const Tensor& a);
PATCHBAY_UNARY_FORMS(round)
/// a without its fraction; integers stay. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor trunc(const Tensor& a);
PATCHBAY_UNARY_FORMS(trunc)
/// 1 where a > 0, -1 where a < 0, else 0, also for NaN. Dtypes: numbers.
[[nodiscard]] PATCHBAY_API Tensor sign(const Tensor& a);
PATCHBAY_UNARY_FORMS(sign)
/// a / (1 + exp(-a)); NaN at -infinity. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor silu(const Tensor& a);
PATCHBAY_UNARY_FORMS(silu)
/// log(1 + exp(a)). Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor softplus(const Tensor& a);
PATCHBAY_UNARY_FORMS(softplus)

// Comparison; the result is bool.
/// a == b; false where either is NaN. Dtypes: any.
[[nodiscard]] PATCHBAY_API Tensor eq(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor eq(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor eq(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(eq)
/// a != b; true where either is NaN. Dtypes: any.
[[nodiscard]] PATCHBAY_API Tensor ne(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor ne(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor ne(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(ne)
/// a < b; false where either is NaN. Dtypes: any.
[[nodiscard]] PATCHBAY_API Tensor lt(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor lt(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor lt(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(lt)
/// a <= b; false where either is NaN. Dtypes: any.
[[nodiscard]] PATCHBAY_API Tensor le(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor le(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor le(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(le)
/// a > b; false where either is NaN. Dtypes: any.
[[nodiscard]] PATCHBAY_API Tensor gt(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor gt(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor gt(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(gt)
/// a >= b; false where either is NaN. Dtypes: any.
[[nodiscard]] PATCHBAY_API Tensor ge(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor ge(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor ge(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(ge)

// Tests; the result is bool.
/// Whether a is NaN. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor isnan(const Tensor& a);
PATCHBAY_UNARY_FORMS(isnan)
/// Whether a is infinite. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor isinf(const Tensor& a);
PATCHBAY_UNARY_FORMS(isinf)
/// Whether a is neither infinite nor NaN. Dtypes: floats.
[[nodiscard]] PATCHBAY_API Tensor isfinite(const Tensor& a);
PATCHBAY_UNARY_FORMS(isfinite)

// Logic.
/// not a. Dtypes: bool.
[[nodiscard]] PATCHBAY_API Tensor logical_not(const Tensor& a);
PATCHBAY_UNARY_FORMS(logical_not)
/// a and b. Dtypes: bool.
[[nodiscard]] PATCHBAY_API Tensor logical_and(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor logical_and(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor logical_and(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(logical_and)
/// a or b. Dtypes: bool.
[[nodiscard]] PATCHBAY_API Tensor logical_or(const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor logical_or(const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor logical_or(const Scalar& a, const Tensor& b);
PATCHBAY_BINARY_FORMS(logical_or)

#undef PATCHBAY_BINARY_FORMS
#undef PATCHBAY_UNARY_FORMS

}  // namespace patchbay

#endif  // PATCHBAY_ELEMENTWISE_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Operations on tensors. All operands are on one device and of one dtype, and the result is there;
// anything else is an Error at the call, before any work (kDeviceMismatch, kDtypeMismatch,
// kShapeMismatch). The one exception: a 0-d tensor on a CPU device may be an operand of an
// elementwise operation on any device, as a scalar. Literals take the tensor's dtype. f16 and bf16
// go where f32 does, on devices that have them. Shapes broadcast as in NumPy. Calls queue on the
// device's default stream, or on a StreamScope's; those whose name ends in _out write into `out`,
// which has the result's shape, dtype and device, may be an operand, but not overlap one in part.
#ifndef PATCHBAY_OPS_H_
#define PATCHBAY_OPS_H_

#include <concepts>
#include <initializer_list>
#include <optional>
#include <vector>

#include "patchbay/elementwise.h"
#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// condition ? a : b for each element: any dtype, the same for a and b; the condition is bool. All
/// three broadcast. Two literals give i64 if both are integers, else f32.
[[nodiscard]] PATCHBAY_API Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor where(const Tensor& condition, const Tensor& a, const Scalar& b);
[[nodiscard]] PATCHBAY_API Tensor where(const Tensor& condition, const Scalar& a, const Tensor& b);
[[nodiscard]] PATCHBAY_API Tensor where(const Tensor& condition, const Scalar& a, const Scalar& b);
PATCHBAY_API const Tensor& where_out(const Tensor& out, const Tensor& condition, const Tensor& a,
                                     const Tensor& b);
PATCHBAY_API const Tensor& where_out(const Tensor& out, const Tensor& condition, const Tensor& a,
                                     const Scalar& b);
PATCHBAY_API const Tensor& where_out(const Tensor& out, const Tensor& condition, const Scalar& a,
                                     const Tensor& b);
/// The literals take the dtype of `out`.
PATCHBAY_API const Tensor& where_out(const Tensor& out, const Tensor& condition, const Scalar& a,
                                     const Scalar& b);

/// What is nearest to a in [low, high], either of which may be left out (`{}`); a NaN stays.
/// Numbers. Errors: kInvalidArgument if there is no bound, one is NaN, or low > high.
[[nodiscard]] PATCHBAY_API Tensor clamp(const Tensor& a, const std::optional<Scalar>& low,
                                        const std::optional<Scalar>& high = {});
PATCHBAY_API const Tensor& clamp_out(const Tensor& out, const Tensor& a,
                                     const std::optional<Scalar>& low,
                                     const std::optional<Scalar>& high = {});

// In place and with symbols.
[[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
[[nodiscard]] inline Tensor operator+(const Tensor& a, const Scalar& b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, const Scalar& b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Scalar& b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, const Scalar& b) { return div(a, b); }
[[nodiscard]] inline Tensor operator+(const Scalar& a, const Tensor& b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Scalar& a, const Tensor& b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator*(const Scalar& a, const Tensor& b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator/(const Scalar& a, const Tensor& b) { return div(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a) { return neg(a); }
inline const Tensor& operator+=(const Tensor& a, const Tensor& b) { return add_out(a, a, b); }
inline const Tensor& operator-=(const Tensor& a, const Tensor& b) { return sub_out(a, a, b); }
inline const Tensor& operator*=(const Tensor& a, const Tensor& b) { return mul_out(a, a, b); }
inline const Tensor& operator/=(const Tensor& a, const Tensor& b) { return div_out(a, a, b); }
inline const Tensor& operator+=(const Tensor& a, const Scalar& b) { return add_out(a, a, b); }
inline const Tensor& operator-=(const Tensor& a, const Scalar& b) { return sub_out(a, a, b); }
inline const Tensor& operator*=(const Tensor& a, const Scalar& b) { return mul_out(a, a, b); }
inline const Tensor& operator/=(const Tensor& a, const Scalar& b) { return div_out(a, a, b); }

// Products: floats, i32, i64. Transposed operands (`b.t()`) are read in place, and so are repeated
// ones. `out` overlaps no operand.
/// [..., m, k] x [..., k, n] -> [..., m, n], where leading dimensions broadcast. A vector [k] is a
/// row on the left and a column on the right, and that dimension goes again: of two vectors the dot
/// product remains.
[[nodiscard]] PATCHBAY_API Tensor matmul(const Tensor& a, const Tensor& b);
/// out = alpha a b + beta out; with alpha 0 `a` and `b` are not read, with beta 0 `out` is not.
PATCHBAY_API const Tensor& matmul_out(const Tensor& out, const Tensor& a, const Tensor& b,
                                      const Scalar& alpha = 1, const Scalar& beta = 0);
/// alpha a b + beta c, where c broadcasts to the product's shape; with alpha 0 the values of a and
/// b do not count, with beta 0 those of c.
[[nodiscard]] PATCHBAY_API Tensor addmm(const Tensor& c, const Tensor& a, const Tensor& b,
                                        const Scalar& alpha = 1, const Scalar& beta = 1);
/// x W^T + bias for x [..., in], a weight W [out, in] and a bias [out], or none.
[[nodiscard]] PATCHBAY_API Tensor linear(const Tensor& x, const Tensor& weight,
                                         const Tensor& bias = {});

/// Which dimensions a reduction goes over: none named means all. Negative ones count from the end.
/// A bool is no axis: `sum(t, true)` does not compile; `sum(t, {}, true)` keeps the dimensions.
struct Axes {
  Axes() = default;
  template <std::convertible_to<Dim> Axis>
  Axes(Axis axis) : dims{Dim(axis)} {}  // NOLINT(google-explicit-constructor): sum(t, 1)
  Axes(std::initializer_list<Dim> axes) : dims(axes.begin(), axes.end()) {}
  std::vector<int> dims;
};

// Reductions. Order is fixed: results repeat their bits for any thread count.
/// Floats keep their dtype; the others sum as i64.
[[nodiscard]] PATCHBAY_API Tensor sum(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// Floats.
[[nodiscard]] PATCHBAY_API Tensor mean(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// NaN propagates. Errors: kInvalidArgument if there is nothing along the axes.
[[nodiscard]] PATCHBAY_API Tensor min(const Tensor& a, const Axes& axes = {}, bool keep = false);
[[nodiscard]] PATCHBAY_API Tensor max(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// The index (i64) of the extreme along one axis, or in the flattened tensor; ties take the lowest,
/// the first NaN wins. Errors as min.
[[nodiscard]] PATCHBAY_API Tensor argmin(const Tensor& a, const Axes& axes = {}, bool keep = false);
[[nodiscard]] PATCHBAY_API Tensor argmax(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// (sum |a|^order)^(1/order) for order 1, 2 and infinity (max |a|); floats. Order 2 over all of
/// a matrix is the Frobenius norm. Squares are not scaled: they overflow where a^2 does.
[[nodiscard]] PATCHBAY_API Tensor norm(const Tensor& a, double order = 2, const Axes& axes = {},
                                       bool keep = false);
/// The order comes before the axes and `keep`, which no bool is meant for.
template <std::same_as<bool> Keep>
Tensor norm(const Tensor& a, Keep keep, const Axes& axes = {}, bool = false) = delete;
/// sum a^2: floats keep their dtype, integers sum as i64.
[[nodiscard]] PATCHBAY_API Tensor sum_squares(const Tensor& a, const Axes& axes = {},
                                              bool keep = false);
/// sum (a - mean)^2 / (n - correction) over the n elements of each result, and its root; floats.
/// Made of the deviations from the mean, so that a large one costs no digits. NaN where n is not
/// larger than the correction. The root's gradient is 0 where it is 0.
[[nodiscard]] PATCHBAY_API Tensor var(const Tensor& a, const Axes& axes = {}, int correction = 1,
                                      bool keep = false);
[[nodiscard]] PATCHBAY_API Tensor stddev(const Tensor& a, const Axes& axes = {}, int correction = 1,
                                         bool keep = false);
/// `keep` comes after the correction, which no bool is meant for.
template <std::same_as<bool> Keep>
Tensor var(const Tensor& a, const Axes& axes, Keep keep, bool = false) = delete;
template <std::same_as<bool> Keep>
Tensor stddev(const Tensor& a, const Axes& axes, Keep keep, bool = false) = delete;
/// The sum of a matrix's diagonal: dtypes as sum. Errors: kShapeMismatch unless rank 2.
[[nodiscard]] PATCHBAY_API Tensor trace(const Tensor& a);

}  // namespace patchbay

#endif  // PATCHBAY_OPS_H_

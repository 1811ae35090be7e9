// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Operations on tensors: docs/operators.md. All operands have one device and one dtype, and the
// result is on that device. Errors, before any work: kDeviceMismatch, kDtypeMismatch,
// kShapeMismatch; kUnsupported if the device lacks the operation. The one exception: a 0-d tensor
// on a CPU device may be an operand of an elementwise operation on any device, as a number; the
// ledger counts its value under the route `scalar`. Numbers take the tensor's dtype. Shapes
// broadcast as in NumPy. Calls queue on the device's current stream (StreamScope, else the default
// stream). Functions whose name ends in _out write to `out`, which has the result's shape, dtype
// and device. It may be an operand, but must not overlap one in part. elementwise.h says which
// dtypes are floats and which are numbers.
#ifndef PATCHBAY_OPS_H_
#define PATCHBAY_OPS_H_

#include <concepts>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <vector>

#include "patchbay/elementwise.h"
#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// condition ? a : b for each element. The condition is bool; a and b have any one dtype. All three
/// broadcast. Two numbers give i64 if both are integers, else f32.
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
/// The numbers take the dtype of `out`.
PATCHBAY_API const Tensor& where_out(const Tensor& out, const Tensor& condition, const Scalar& a,
                                     const Scalar& b);

/// low where a < low, high where a > high, else a; NaN stays. Dtypes: numbers. Either bound may be
/// left out (`{}`). Errors: kInvalidArgument if both are left out, one is NaN, or low > high.
[[nodiscard]] PATCHBAY_API Tensor clamp(const Tensor& a, const std::optional<Scalar>& low,
                                        const std::optional<Scalar>& high = {});
PATCHBAY_API const Tensor& clamp_out(const Tensor& out, const Tensor& a,
                                     const std::optional<Scalar>& low,
                                     const std::optional<Scalar>& high = {});

// Arithmetic by symbols, and in place.
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

// Matrix products. Dtypes: floats, complex, i32, i64. Transposed (`b.t()`) and broadcast operands
// are read in place. `out` must not overlap an operand.
/// [..., m, k] x [..., k, n] -> [..., m, n]; leading dimensions broadcast. A vector [k] is a row on
/// the left and a column on the right, and the result lacks that dimension: two vectors give their
/// dot product.
[[nodiscard]] PATCHBAY_API Tensor matmul(const Tensor& a, const Tensor& b);
/// out = alpha a b + beta out. With alpha 0 `a` and `b` are not read; with beta 0 `out` is not
/// read.
PATCHBAY_API const Tensor& matmul_out(const Tensor& out, const Tensor& a, const Tensor& b,
                                      const Scalar& alpha = 1, const Scalar& beta = 0);
/// alpha a b + beta c. c broadcasts to the product's shape. With alpha 0 the values of a and b are
/// not used; with beta 0 those of c are not used.
[[nodiscard]] PATCHBAY_API Tensor addmm(const Tensor& c, const Tensor& a, const Tensor& b,
                                        const Scalar& alpha = 1, const Scalar& beta = 1);
/// x weight^T + bias, for x [..., in], weight [out, in], and bias [out] or none. For a weight [in]
/// and a 0-d bias the result lacks the last dimension.
[[nodiscard]] PATCHBAY_API Tensor linear(const Tensor& x, const Tensor& weight,
                                         const Tensor& bias = {});

/// The dimensions that a reduction removes: an integer, a list, or a vector, span or array of
/// integers; an empty list means all. Negative ones count from the end; a tensor of rank 0 has a
/// dimension 0 of one element here, and in cumsum. A bool is not an axis: `sum(t, true)` does not
/// compile; `sum(t, {}, true)` keeps the dimensions.
struct Axes {
  Axes() = default;
  template <std::convertible_to<Dim> Axis>
  Axes(Axis axis) : dims{Dim(axis)} {}  // NOLINT(google-explicit-constructor): sum(t, 1)
  Axes(std::initializer_list<Dim> axes) : dims(axes.begin(), axes.end()) {}
  template <class Range>
  requires(!std::convertible_to<Range, Dim>) && requires(const Range& range) {
    { *std::begin(range) } -> std::convertible_to<Dim>;
    std::end(range);
  }
  Axes(const Range& axes) {  // NOLINT(google-explicit-constructor): sum(t, dims)
    for (const Dim axis : axes) dims.push_back(axis);
  }
  std::vector<int> dims;
};

// Reductions. With `keep` the reduced dimensions stay with extent 1. The order of additions is
// fixed: results repeat their bits for any number of threads.
/// The sum. Dtypes: any; floats, complex and u64 keep their dtype, others give i64.
[[nodiscard]] PATCHBAY_API Tensor sum(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// The product; 1 of no elements. Dtypes: numbers and complex; integers give i64, others keep their
/// dtype. Its gradients can't be differentiated again.
[[nodiscard]] PATCHBAY_API Tensor prod(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// The mean. Dtypes: floats and complex.
[[nodiscard]] PATCHBAY_API Tensor mean(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// The smallest element; NaN if there is one. Dtypes: any. Errors: kInvalidArgument if there are no
/// elements along the axes.
[[nodiscard]] PATCHBAY_API Tensor min(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// The largest element; NaN if there is one. Dtypes: any. Errors: as min.
[[nodiscard]] PATCHBAY_API Tensor max(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// The index (i64) of the smallest element along one axis, or in the flattened tensor: of the first
/// NaN, else the lowest of equal ones. Dtypes: any. Errors: as min.
[[nodiscard]] PATCHBAY_API Tensor argmin(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// The index (i64) of the largest element, with the rules of argmin.
[[nodiscard]] PATCHBAY_API Tensor argmax(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// (sum |a|^order)^(1/order) for order 1 or 2; for infinity the largest |a|. Dtypes: floats, and
/// complex, which give real norms. Order 2 over a whole matrix is the Frobenius norm. Only the
/// result may overflow, not a * a (of f64 on CPU devices alone).
[[nodiscard]] PATCHBAY_API Tensor norm(const Tensor& a, double order = 2, const Axes& axes = {},
                                       bool keep = false);
/// A bool is not an order.
template <std::same_as<bool> Keep>
Tensor norm(const Tensor& a, Keep keep, const Axes& axes = {}, bool = false) = delete;
/// The sum of a * a. Dtypes: numbers; floats keep their dtype, integers give i64.
[[nodiscard]] PATCHBAY_API Tensor sum_squares(const Tensor& a, const Axes& axes = {},
                                              bool keep = false);
/// The variance, sum |a - mean|^2 / (n - correction) over the n elements of each result. Dtypes:
/// floats, and complex, whose variance is real. Computed from the deviations, so that a large mean
/// costs no digits. Only the result may overflow. NaN where n is not larger than the correction.
[[nodiscard]] PATCHBAY_API Tensor var(const Tensor& a, const Axes& axes = {}, int correction = 1,
                                      bool keep = false);
/// The square root of the variance. Its gradient is 0 where it is 0.
[[nodiscard]] PATCHBAY_API Tensor stddev(const Tensor& a, const Axes& axes = {}, int correction = 1,
                                         bool keep = false);
/// A bool is not a correction.
template <std::same_as<bool> Keep>
Tensor var(const Tensor& a, const Axes& axes, Keep keep, bool = false) = delete;
template <std::same_as<bool> Keep>
Tensor stddev(const Tensor& a, const Axes& axes, Keep keep, bool = false) = delete;
/// The sums of the elements up to each one along `dim`; with `reverse`, from each one on. Dtypes:
/// numbers and complex; all keep their dtype, and integers wrap around. Errors: kInvalidArgument
/// for a dimension that does not exist.
[[nodiscard]] PATCHBAY_API Tensor cumsum(const Tensor& a, Dim dim, bool reverse = false);
/// Whether any element is not 0 (bool). Dtypes: any; NaN is not 0. False of no elements.
[[nodiscard]] PATCHBAY_API Tensor any(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// Whether all elements are not 0 (bool). Dtypes: any; NaN is not 0. True of no elements.
[[nodiscard]] PATCHBAY_API Tensor all(const Tensor& a, const Axes& axes = {}, bool keep = false);
/// The sum of a matrix's diagonal. Dtypes: as sum. Errors: kShapeMismatch unless rank 2.
[[nodiscard]] PATCHBAY_API Tensor trace(const Tensor& a);

// Triangles of the last two dimensions. Dtypes: any. Errors: kShapeMismatch for a rank below 2.
/// The elements on and below a diagonal, and 0 above it; number `diagonal` is above the main one.
[[nodiscard]] PATCHBAY_API Tensor tril(const Tensor& a, Index diagonal = 0);
/// The elements on and above a diagonal, and 0 below it.
[[nodiscard]] PATCHBAY_API Tensor triu(const Tensor& a, Index diagonal = 0);

}  // namespace patchbay

#endif  // PATCHBAY_OPS_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Checks and shapes of batches of matrices, and the statuses of factorizations.
#ifndef PATCHBAY_CORE_TENSOR_LINALG_MATRICES_H_
#define PATCHBAY_CORE_TENSOR_LINALG_MATRICES_H_

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "patchbay/complex.h"
#include "patchbay/tensor.h"

#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/operators.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay::tensor {

/// The dtypes of factorizations.
inline constexpr DTypes kFactored = PATCHBAY_SET_WIDE_FLOATS | kComplex;

/// Errors: kInvalidArgument for an undefined tensor, kDtypeMismatch, kShapeMismatch below rank 2.
const TensorImpl& check_matrices(const char* operation, const Tensor& x,
                                 std::string_view name = "x", DTypes dtypes = kFactored);
/// Also kShapeMismatch unless the matrices are square.
const TensorImpl& check_square(const char* operation, const Tensor& x, std::string_view name = "x");
/// Checks that b has the rows, the device and the dtype of a.
void check_right_side(const char* operation, const NamedOperand& a, const NamedOperand& b);

/// The leading dimensions: all but the last `dropped` ones.
Shape batch_shape(const Shape& shape, int dropped = 2);
/// The shape to which the leading dimensions of both broadcast. Errors: kShapeMismatch.
Shape broadcast_batches(const char* operation, const NamedOperand& a, const NamedOperand& b);
/// Of that batch, with the last `kept` dimensions of x. A view.
Tensor with_batch(const Tensor& x, const Shape& batch, int kept = 2);
/// [count, m, n], a view if one is possible.
Tensor as_batch(const Tensor& x);
/// The same in new memory. Not recorded.
Tensor copied_batch(const Tensor& x);
/// With other leading dimensions.
Tensor unbatched(const Tensor& x, const Shape& like, int dropped = 2);

/// The conjugate transpose.
inline Tensor adjoint(const Tensor& x) { return conj(x).transpose(-2, -1); }
/// With imaginary parts of 0. Recorded.
Tensor without_imaginary(const Tensor& x);
/// 1 / x where `is_used`, else 0. Recorded.
Tensor reciprocal_where(const Tensor& is_used, const Tensor& x);
/// 1 on the diagonals of new matrices.
Tensor identities(const Shape& batch, std::int64_t rows, std::int64_t columns, const Tensor& like);
/// [..., n] on the diagonals of new matrices. Recorded.
Tensor on_diagonal(const Tensor& values);

/// Of f32 or f64, or of the parts of complex numbers.
inline double epsilon_of(DType dtype) {
  return real_dtype(dtype) == DType::f64 ? std::numeric_limits<double>::epsilon()
                                         : double{std::numeric_limits<float>::epsilon()};
}

/// Records one operation on x with several results. Gradients flow back from all of them.
void record_several(const char* operation, std::span<const Tensor> results, const Tensor& x,
                    JointBackward backward);

/// Fetches whether any info is not 0. Error: kInvalidArgument, which says of the first such matrix
/// `what`, in which {} is its info, and what to do.
void check_status(const char* operation, const NamedOperand& x, const Tensor& info,
                  std::string_view what);
/// The inverses. Recorded. Errors: as check_square and check_status.
Tensor inverse(const char* operation, const Tensor& x);
/// check_status of a method that makes steps until they converge. `way_out`: the function that does
/// not check.
void check_convergence(const char* operation, const Tensor& x, const Tensor& info,
                       const std::string& way_out);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_LINALG_MATRICES_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of matrices, one or many at once: what matmul, addmm and linear share.
#ifndef PATCHBAY_CORE_TENSOR_OPS_GEMM_H_
#define PATCHBAY_CORE_TENSOR_OPS_GEMM_H_

#include <cstdint>

#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

#include "core/tensor/dispatch/operands.h"

namespace patchbay::tensor {

/// The shape of the product, vectors as matmul has them. Errors: kDeviceMismatch, kDtypeMismatch,
/// kShapeMismatch.
Shape product_shape(const char* operation, const Named& a, const Named& b);

/// The bits of alpha and beta in the operands' dtype.
struct Factors {
  std::uint64_t alpha, beta;
  bool multiplies;  // alpha is not 0
  bool keeps_out;   // beta is not 0
};
Factors make_factors(const char* operation, DType dtype, const Scalar& alpha, const Scalar& beta);

/// out = alpha a b + beta out, of rank 2 or more: the leading dimensions of a and b broadcast to
/// those of out. All is checked. Any operand may be empty. With alpha 0 a and b are not read.
void multiply(const char* operation, const Tensor& out, const Tensor& a, const Tensor& b,
              const Factors& factors);

/// A vector on the left as a matrix of one row, on the right of one column; others as they are.
Tensor as_row(const Tensor& a);
Tensor as_column(const Tensor& b);

/// a^T, of the last two dimensions.
inline Tensor transposed(const Tensor& a) { return a.transpose(-2, -1); }
/// [..., n] as [all of them, n].
Tensor as_rows(const Tensor& a);
/// The gradient of b in a b for a, b of rank 2 or more.
Tensor right_gradient(const Tensor& a, const Tensor& grad, const Shape& b_shape);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_OPS_GEMM_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of one or many matrices, shared by matmul, addmm and linear.
#ifndef PATCHBAY_CORE_TENSOR_PRODUCTS_GEMM_H_
#define PATCHBAY_CORE_TENSOR_PRODUCTS_GEMM_H_

#include <cstdint>

#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

#include "core/tensor/dispatch/operands.h"

namespace patchbay::runtime {
struct KernelState;
}

namespace patchbay::tensor {

/// The product's shape, with vectors as in matmul. Errors: kDeviceMismatch, kDtypeMismatch,
/// kShapeMismatch.
Shape product_shape(const char* operation, const NamedOperand& a, const NamedOperand& b);

/// The bits of alpha and beta in the operands' dtype.
struct Factors {
  std::uint64_t alpha, beta;
  bool multiplies;  // alpha is not 0
  bool keeps_out;   // beta is not 0
};
Factors make_factors(const char* operation, DType dtype, const Scalar& alpha, const Scalar& beta);

/// out = alpha a b + beta out, for rank 2 or more. The leading dimensions of a and b broadcast to
/// those of out. All is checked already. Operands may be empty. With alpha 0, a and b are not read.
void multiply(const char* operation, const Tensor& out, const Tensor& a, const Tensor& b,
              const Factors& factors);

/// out = a weight^T + bias by the operator `linear`, for a of rank 2 and a contiguous out. No
/// operand is empty.
void multiply_and_add(const char* operation, runtime::KernelState& kernel, const Tensor& out,
                      const Tensor& a, const Tensor& weight, const Tensor& bias);

/// The checks of linear's operands: x [..., in] and weight [out, in] or [in].
void check_layer(const NamedOperand& x, const NamedOperand& weight);
/// [out], or of rank 0.
void check_bias(const NamedOperand& bias, const NamedOperand& weight);

/// A vector on the left as a matrix with one row, on the right with one column; others unchanged.
Tensor as_row(const Tensor& a);
Tensor as_column(const Tensor& b);

/// a^T of the last two dimensions.
inline Tensor transposed(const Tensor& a) { return a.transpose(-2, -1); }
/// [..., n] as [product of the others, n].
Tensor as_rows(const Tensor& a);
/// The gradient of b in a b, for a and b of rank 2 or more.
Tensor right_gradient(const Tensor& a, const Tensor& grad, const Shape& b_shape);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_PRODUCTS_GEMM_H_

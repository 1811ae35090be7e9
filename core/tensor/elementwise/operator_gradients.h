// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Records each elementwise operation as the fused function of that operation.
#ifndef PATCHBAY_CORE_TENSOR_ELEMENTWISE_OPERATOR_GRADIENTS_H_
#define PATCHBAY_CORE_TENSOR_ELEMENTWISE_OPERATOR_GRADIENTS_H_

#include <array>
#include <span>

#include "patchbay/tensor_or_scalar.h"

#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

/// Records op(operands) = result if an operand needs a gradient and the operator has a derivative.
/// `operands` are in the table's order: a, b; condition, a, b; a, low, high.
void record_operation(const Operator& op, const Tensor& result,
                      std::span<const TensorOrScalar> operands);
template <class... T>
void record_elementwise(const Operator& op, const Tensor& result, const T&... operands) {
  const std::array<TensorOrScalar, sizeof...(T)> arguments{TensorOrScalar(operands)...};
  record_operation(op, result, arguments);
}

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_ELEMENTWISE_OPERATOR_GRADIENTS_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Shared by elementwise operations of any number of operands, and the record of their gradients.
#ifndef PATCHBAY_CORE_TENSOR_ELEMENTWISE_ELEMENTWISE_H_
#define PATCHBAY_CORE_TENSOR_ELEMENTWISE_ELEMENTWISE_H_

#include <array>
#include <span>

#include "patchbay/tensor.h"
#include "patchbay/tensor_or_scalar.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

/// Replaces operands on another device than `place`, which are host scalars, by their values.
/// Errors: as read_host_scalar.
void read_scalars(const char* operation, const TensorImpl& place, std::span<Operand> operands);

/// Checks `out`, which gets results of `dtype`, and the operands' devices. The operands are
/// otherwise checked already; `names` are their names.
void check_claim(const char* operation, DType dtype, const Tensor& out, const Shape& shape,
                 std::span<const Operand> operands, std::span<const char* const> names);
/// The same for operands of `dtype`; reads operands that are host scalars, and counts a version of
/// `out`.
void claim_out(const Operator& op, DType dtype, const Tensor& out, const Shape& shape,
               std::span<Operand> operands, std::span<const char* const> names);
/// Claims `out` and launches.
const Tensor& run_out(const Operator& op, DType dtype, const Tensor& out, const Shape& shape,
                      std::span<Operand> operands, std::span<const char* const> names);

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

#endif  // PATCHBAY_CORE_TENSOR_ELEMENTWISE_ELEMENTWISE_H_

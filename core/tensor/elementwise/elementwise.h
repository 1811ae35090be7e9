// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Shared by elementwise operations of any number of operands.
#ifndef PATCHBAY_CORE_TENSOR_ELEMENTWISE_ELEMENTWISE_H_
#define PATCHBAY_CORE_TENSOR_ELEMENTWISE_ELEMENTWISE_H_

#include <span>

#include "patchbay/tensor.h"

#include "core/tensor/dispatch/dispatch.h"

namespace patchbay::tensor {

/// Replaces operands on another device than `place`, which are host scalars, by their values.
/// Errors: as read_host_scalar.
void read_scalars(const char* operation, const TensorImpl& place, std::span<Operand> operands);

/// Checks `out` and the operands' devices and launches. The operands are otherwise checked already;
/// `names` are their names.
const Tensor& run_out(const Operator& op, DType dtype, const Tensor& out, const Shape& shape,
                      std::span<Operand> operands, std::span<const char* const> names);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_ELEMENTWISE_ELEMENTWISE_H_

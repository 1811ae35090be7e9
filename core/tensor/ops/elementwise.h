// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What elementwise operations of any number of operands share.
#ifndef PATCHBAY_CORE_TENSOR_OPS_ELEMENTWISE_H_
#define PATCHBAY_CORE_TENSOR_OPS_ELEMENTWISE_H_

#include <span>

#include "patchbay/tensor.h"

#include "core/tensor/dispatch/dispatch.h"

namespace patchbay::tensor {

/// The value of a host scalar as an operand.
Operand as_scalar(const TensorImpl& tensor);

/// Checks `out` and where the operands are, whose other checks are done, and launches. `names` are
/// those of the operands.
const Tensor& run_out(const Operator& op, DType dtype, const Tensor& out, const Shape& shape,
                      std::span<Operand> operands, std::span<const char* const> names);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_OPS_ELEMENTWISE_H_

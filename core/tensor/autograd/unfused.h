// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Gradients without fusion: one operation after the other.
#ifndef PATCHBAY_CORE_TENSOR_AUTOGRAD_UNFUSED_H_
#define PATCHBAY_CORE_TENSOR_AUTOGRAD_UNFUSED_H_

#include <span>

#include "patchbay/tensor_or_scalar.h"

#include "core/tensor/fuse/expression.h"

namespace patchbay::tensor {

/// A gradient of a single operation by the operations of ops.h, each in the dtype of `grad`, where
/// it is rounded. `arguments` are the expression's inputs.
Tensor compute_unfused(const Expression& gradient, std::span<const TensorOrScalar> arguments,
                       const Tensor& grad);

/// Whether that takes one launch.
bool is_one_operation(const Expression& gradient);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_AUTOGRAD_UNFUSED_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Gradients without fusion: one operation after another.
#ifndef PATCHBAY_CORE_TENSOR_ELEMENTWISE_UNFUSED_H_
#define PATCHBAY_CORE_TENSOR_ELEMENTWISE_UNFUSED_H_

#include <span>

#include "patchbay/tensor_or_scalar.h"

#include "core/tensor/fuse/expression.h"

namespace patchbay::tensor {

/// Computes a single operation's gradient by functions of ops.h, each rounded to the dtype of
/// `grad`. `arguments` are the expression's inputs.
Tensor compute_unfused(const Expression& gradient, std::span<const TensorOrScalar> arguments,
                       const Tensor& grad);

/// Whether compute_unfused needs only one launch.
bool is_one_operation(const Expression& gradient);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_ELEMENTWISE_UNFUSED_H_

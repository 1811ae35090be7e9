// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Derivatives of reductions.
#ifndef PATCHBAY_CORE_TENSOR_AUTOGRAD_REDUCTION_H_
#define PATCHBAY_CORE_TENSOR_AUTOGRAD_REDUCTION_H_

#include "core/tensor/dispatch/operators.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay::tensor {

/// Records op(a) = result if the operator has a derivative. `kept` is the result's shape with
/// extent 1 for reduced dimensions, so that it broadcasts to a's.
void record_reduction(const Operator& op, const Tensor& result, const Tensor& a, const Shape& kept);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_AUTOGRAD_REDUCTION_H_

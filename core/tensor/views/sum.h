// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Sums, which undo repeats: the gradient of one is the other.
#ifndef PATCHBAY_CORE_TENSOR_VIEWS_SUM_H_
#define PATCHBAY_CORE_TENSOR_VIEWS_SUM_H_

#include "patchbay/ops.h"

namespace patchbay::tensor {

/// The sum of `a` over `axes`. Errors and the record name `operation`, which the user called.
Tensor sum_of(const char* operation, const Tensor& a, const Axes& axes, bool keep);

/// Sums over the dimensions that broadcasting repeated.
Tensor sum_to(const Tensor& grad, const Shape& shape);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_VIEWS_SUM_H_

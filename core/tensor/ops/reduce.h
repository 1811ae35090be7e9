// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_TENSOR_OPS_REDUCE_H_
#define PATCHBAY_CORE_TENSOR_OPS_REDUCE_H_

#include "patchbay/ops.h"

#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

/// Reduces `a` by `op` over `axes`. Errors name `operation`, which the user called.
Tensor reduce(const Operator& op, const char* operation, const Tensor& a, const Axes& axes,
              bool keep);
/// The number of elements that make one element of the result. Errors as reduce.
std::int64_t num_reduced(const char* operation, const Tensor& a, const Axes& axes);
/// The variance. Errors and the record name `operation`.
Tensor var_of(const char* operation, const Tensor& a, const Axes& axes, int correction, bool keep);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_OPS_REDUCE_H_

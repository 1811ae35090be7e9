// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_TENSOR_OPS_INDEXING_H_
#define PATCHBAY_CORE_TENSOR_OPS_INDEXING_H_

#include "patchbay/tensor.h"

namespace patchbay::tensor {

/// The elements of `a` that the index names in dimension `dim`; index and result have the shape of
/// `a` without that dimension. Errors are those of gather, but name `operation`.
Tensor pick(const char* operation, const Tensor& a, int dim, const Tensor& index);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_OPS_INDEXING_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elements brought to the host, and counted.
#ifndef PATCHBAY_CORE_TENSOR_FETCH_H_
#define PATCHBAY_CORE_TENSOR_FETCH_H_

#include "patchbay/tensor.h"

namespace patchbay::tensor {

/// All elements in row-major order; waits.
void fetch(const char* operation, const Tensor& source, void* data);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FETCH_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies elements to the host.
#ifndef PATCHBAY_CORE_TENSOR_PRINT_FETCH_H_
#define PATCHBAY_CORE_TENSOR_PRINT_FETCH_H_

#include <functional>

#include "patchbay/tensor.h"

namespace patchbay::tensor {

/// Copies all elements in row-major order. Waits for the copy, which is counted. A kernel packs
/// strided elements.
void fetch(const char* operation, const Tensor& source, void* data);
/// Copies all elements into memory from `make`. Error: kOutOfMemory if it throws.
void fetch(const char* operation, const Tensor& source, const std::function<void*()>& make);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_PRINT_FETCH_H_

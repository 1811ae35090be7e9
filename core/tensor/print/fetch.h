// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elements brought to the host, and counted.
#ifndef PATCHBAY_CORE_TENSOR_PRINT_FETCH_H_
#define PATCHBAY_CORE_TENSOR_PRINT_FETCH_H_

#include <functional>

#include "patchbay/tensor.h"

namespace patchbay::tensor {

/// All elements in row-major order: one copy, which is counted and waits. A kernel packs what is
/// strided.
void fetch(const char* operation, const Tensor& source, void* data);
/// The same into memory that `make` gives. Error: kOutOfMemory if it throws.
void fetch(const char* operation, const Tensor& source, const std::function<void*()>& make);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_PRINT_FETCH_H_

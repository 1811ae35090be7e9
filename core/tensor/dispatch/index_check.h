// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Validation of index elements against a dimension.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_INDEX_CHECK_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_INDEX_CHECK_H_

#include <cstdint>

#include "core/tensor/base/tensor_impl.h"

namespace patchbay::tensor {

/// If the runtime validates and the device's kernels can't report bad indices: waits for the index
/// and checks it; in a recording, at each replay. Error: kInvalidArgument.
void check_index(const char* operation, const TensorImpl& index, int dim, std::int64_t extent);

/// The position of an element, by its number in row-major order. For messages.
Shape place_of(std::int64_t number, const Shape& shape);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_INDEX_CHECK_H_

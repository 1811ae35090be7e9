// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// In validation mode: whether the elements of an index are within a dimension.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_INDEX_CHECK_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_INDEX_CHECK_H_

#include <cstdint>

#include "core/tensor/base/tensor_impl.h"

namespace patchbay::tensor {

/// On a runtime that validates, and on a device whose kernels can't say it: waits for the index and
/// looks at it; in a recording, each replay does. Error: kInvalidArgument.
void check_index(const char* operation, const TensorImpl& index, int dim, std::int64_t extent);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_INDEX_CHECK_H_

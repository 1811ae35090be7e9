// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Checks element and byte counts. Errors begin with the name of the operation.
#ifndef PATCHBAY_CORE_BASE_SIZE_H_
#define PATCHBAY_CORE_BASE_SIZE_H_

#include <cstddef>
#include <cstdint>

#include "patchbay/dtype.h"
#include "patchbay/shape.h"

namespace patchbay::base {

std::int64_t checked_num_elements(const char* operation, const Shape& shape);
std::size_t checked_size_bytes(const char* operation, const Shape& shape, DType dtype);

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_SIZE_H_

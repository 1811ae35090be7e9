// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elements in memory that the application describes: nothing of it is trusted.
#ifndef PATCHBAY_CORE_TENSOR_BASE_LAYOUT_H_
#define PATCHBAY_CORE_TENSOR_BASE_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "patchbay/dtype.h"
#include "patchbay/shape.h"

namespace patchbay::tensor {

/// Where elements lie from the first one on.
struct Layout {
  Shape shape, strides;
  std::size_t extent_bytes = 0;  // from the first byte of the first to the last of the last one
};

/// Null strides: compact and row-major. Those that are never taken are made so too. Errors:
/// kInvalidArgument for negative extents or strides, and another number of strides; kOverflow.
Layout checked_layout(const char* operation, DType dtype, const Shape& shape, const Shape* strides);

/// Errors: kInvalidArgument if elements would not begin at multiples of their size.
void check_aligned(const char* operation, DType dtype, std::uint64_t address);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_BASE_LAYOUT_H_

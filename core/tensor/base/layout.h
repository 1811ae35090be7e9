// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Checks elements in memory that the application describes; trusts nothing.
#ifndef PATCHBAY_CORE_TENSOR_BASE_LAYOUT_H_
#define PATCHBAY_CORE_TENSOR_BASE_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "patchbay/dtype.h"
#include "patchbay/shape.h"

namespace patchbay::tensor {

/// The positions of elements, relative to the first.
struct Layout {
  Shape shape, strides;
  std::size_t extent_bytes = 0;  // from the first element to the end of the last
};

/// Null strides: compact and row-major. Unused strides become so too. Errors: kInvalidArgument for
/// negative extents or strides and for a wrong number of strides; kOverflow.
Layout checked_layout(const char* operation, DType dtype, const Shape& shape, const Shape* strides);

/// Errors: kInvalidArgument unless elements begin at multiples of their size.
void check_aligned(const char* operation, DType dtype, std::uint64_t address);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_BASE_LAYOUT_H_

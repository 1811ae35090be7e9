// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where the elements of a tensor lie in its memory.
#ifndef PATCHBAY_CONFORMANCE_KERNELS_LAYOUT_H_
#define PATCHBAY_CONFORMANCE_KERNELS_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include <patchbay/patchbay.h>

namespace patchbay::conformance {

/// Strides and offset in elements.
struct Layout {
  Shape shape, strides;
  std::int64_t offset = 0;

  std::size_t num_elements() const;
  /// Elements of memory up to the last that belongs to it.
  std::size_t extent() const;
  /// Where the element with that row-major index lies.
  std::size_t locate(std::size_t index) const;
  std::string to_string() const;
};

Layout contiguous(const Shape& shape, std::int64_t offset = 0);
/// The same shape, with the dimensions in memory in the opposite order.
Layout reversed(const Shape& shape, std::int64_t offset = 0);
/// The same shape, with so many elements of memory for each element.
Layout spread(const Shape& shape, std::int64_t step, std::int64_t offset = 0);

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_KERNELS_LAYOUT_H_

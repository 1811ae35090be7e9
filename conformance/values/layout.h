// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The positions of a tensor's elements in memory.
#ifndef PATCHBAY_CONFORMANCE_VALUES_LAYOUT_H_
#define PATCHBAY_CONFORMANCE_VALUES_LAYOUT_H_

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
  /// The number of elements of memory, up to the tensor's last.
  std::size_t extent() const;
  /// The position of the element with this row-major index.
  std::size_t locate(std::size_t index) const;
  std::string to_string() const;
};

Layout contiguous(const Shape& shape, std::int64_t offset = 0);
/// A matrix by rows or by columns, with a gap between its lines.
Layout matrix(std::int64_t rows, std::int64_t columns, bool by_columns, std::int64_t gap,
              std::int64_t offset);
/// A layout of this shape with the dimensions in opposite order in memory.
Layout reversed(const Shape& shape, std::int64_t offset = 0);
/// A layout of this shape with `step` elements of memory per element.
Layout spread(const Shape& shape, std::int64_t step, std::int64_t offset = 0);

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_VALUES_LAYOUT_H_

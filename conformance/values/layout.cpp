// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/values/layout.h"

#include <algorithm>

#include <fmt/format.h>

namespace patchbay::conformance {

std::size_t Layout::num_elements() const {
  return static_cast<std::size_t>(patchbay::num_elements(shape));
}

std::size_t Layout::extent() const {
  if (num_elements() == 0) return static_cast<std::size_t>(offset);
  std::int64_t last = offset;
  for (int i = 0; i < shape.rank(); ++i) last += (shape[i] - 1) * strides[i];
  return static_cast<std::size_t>(last) + 1;
}

std::size_t Layout::locate(std::size_t index) const {
  auto rest = static_cast<std::int64_t>(index);
  std::int64_t place = offset;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    place += rest % shape[i] * strides[i];
    rest /= shape[i];
  }
  return static_cast<std::size_t>(place);
}

std::string Layout::to_string() const {
  return fmt::format("shape {} strides {} offset {}", patchbay::to_string(shape),
                     patchbay::to_string(strides), offset);
}

Layout contiguous(const Shape& shape, std::int64_t offset) { return spread(shape, 1, offset); }

Layout matrix(std::int64_t rows, std::int64_t columns, bool by_columns, std::int64_t gap,
              std::int64_t offset) {
  const std::int64_t line = std::max<std::int64_t>(by_columns ? rows : columns, 1) + gap;
  if (by_columns) return {{rows, columns}, {1, line}, offset};
  return {{rows, columns}, {line, 1}, offset};
}

Layout reversed(const Shape& shape, std::int64_t offset) {
  Layout layout{shape, shape, offset};
  std::int64_t stride = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    layout.strides[i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
  return layout;
}

Layout spread(const Shape& shape, std::int64_t step, std::int64_t offset) {
  Layout layout{shape, shape, offset};
  std::int64_t stride = step;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    layout.strides[i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
  return layout;
}

}  // namespace patchbay::conformance

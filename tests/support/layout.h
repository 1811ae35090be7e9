// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tensors with the same values in every layout that views can have, and reference loops.
#ifndef PATCHBAY_TESTS_SUPPORT_LAYOUT_H_
#define PATCHBAY_TESTS_SUPPORT_LAYOUT_H_

#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

#include <patchbay/tensor.h>

namespace patchbay::test {

enum class Layout { kContiguous, kTransposed, kOffset, kStep };
inline constexpr Layout kLayouts[] = {Layout::kContiguous, Layout::kTransposed, Layout::kOffset,
                                      Layout::kStep};

inline std::ostream& operator<<(std::ostream& out, Layout layout) {
  constexpr const char* kNames[] = {"contiguous", "transposed", "offset", "step 2"};
  return out << kNames[static_cast<int>(layout)];
}

/// An uninitialised tensor of this shape (rank 1 to 3), dtype and layout.
inline Tensor empty_in(Layout layout, const Shape& shape, DType dtype, const Device& device) {
  const int rank = shape.rank();
  Shape base = shape;
  switch (layout) {
    case Layout::kContiguous: return empty(shape, {dtype, device});
    case Layout::kTransposed:
      for (int i = 0; i < rank; ++i) base[i] = shape[rank - 1 - i];
      if (rank == 1) return empty(base, {dtype, device});
      if (rank == 2) return empty(base, {dtype, device}).t();
      return empty(base, {dtype, device}).permute({2, 1, 0});
    case Layout::kOffset: base[0] += 3; return empty(base, {dtype, device}).slice(0, 3);
    case Layout::kStep:
      base[rank - 1] = 2 * base[rank - 1] + 1;
      return empty(base, {dtype, device}).slice(-1, 1, INT64_MAX, 2);
  }
  return {};
}

/// A tensor with `values`, in row-major order of `shape`, in this layout.
template <class T>
Tensor laid_out(Layout layout, const std::vector<T>& values, const Shape& shape,
                const Device& device) {
  Tensor result = empty_in(layout, shape, dtype_of<T>(), device);
  result.copy_from(from_host(values, shape, device));
  return result;
}

/// Small whole numbers, so that sums and products are exact in every dtype.
template <class T>
std::vector<T> small_values(std::size_t count, unsigned seed, int low = -8, int high = 8) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> draw(std::is_unsigned_v<T> ? 0 : low, high);
  std::vector<T> values(count);
  for (auto&& value : values) value = static_cast<T>(draw(engine));
  return values;
}

inline std::size_t count_of(const Shape& shape) {
  return static_cast<std::size_t>(num_elements(shape));
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_LAYOUT_H_

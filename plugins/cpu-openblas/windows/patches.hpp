// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The elements under the windows of a convolution as a matrix, which turns it into a product.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_WINDOWS_PATCHES_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_WINDOWS_PATCHES_HPP_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cpu-openblas/simd/table.hpp"
#include "kit/windows.hpp"

namespace patchbay::cpu {

/// A run of windows in row-major order.
struct Run {
  std::int64_t begin, count;
};

/// The windows [begin, end) whose element `i` of the kernel is inside the image.
struct Inside {
  std::int64_t begin, end;
};
inline Inside inside_of(const WindowAxis& axis, std::int64_t i) noexcept {
  const std::int64_t before = axis.padding - i * axis.dilation;  // elements before the image
  const std::int64_t after = axis.extent + before;               // the first beyond it
  const std::int64_t begin = before <= 0 ? 0 : (before + axis.stride - 1) / axis.stride;
  const std::int64_t end = after <= 0 ? 0 : (after + axis.stride - 1) / axis.stride;
  return {std::min(begin, axis.windows), std::clamp(end, std::int64_t{0}, axis.windows)};
}

/// A piece of a run in one row of windows, from number `at` of the run on. Under an element of the
/// kernel `before` windows lie left of the image, `inside` have elements of it from `place` of the
/// plane on, a stride apart, and `after` lie right of it.
struct Piece {
  std::int64_t at, before, inside, after, place;
};

/// Calls body(piece) for the pieces of the run under element (i, j) of the kernel.
template <class Body>
void for_pieces(const Convolution& sizes, Run run, std::int64_t i, std::int64_t j,
                const Body& body) noexcept {
  const Inside rows = inside_of(sizes.h, i), columns = inside_of(sizes.w, j);
  std::int64_t y = run.begin / sizes.w.windows, x = run.begin % sizes.w.windows;
  for (std::int64_t done = 0; done < run.count; ++y, x = 0) {
    const std::int64_t end = x + std::min(sizes.w.windows - x, run.count - done);
    const bool is_inside = y >= rows.begin && y < rows.end;
    const std::int64_t first = is_inside ? std::clamp(columns.begin, x, end) : end;
    const std::int64_t last = std::clamp(columns.end, first, end);
    const std::int64_t row = y * sizes.h.stride - sizes.h.padding + i * sizes.h.dilation;
    const std::int64_t column = first * sizes.w.stride - sizes.w.padding + j * sizes.w.dilation;
    body(Piece{done, first - x, last - first, end - last, row * sizes.w.extent + column});
    done += end - x;
  }
}

/// to[((c kh + i) kw + j) step + w]: the element of channel c under (i, j) of window w of the run.
/// `load` converts elements; null if they have type T.
template <class T>
void take_patches(const Convolution& sizes, const char* plane, std::int64_t element_bytes,
                  std::int64_t channels, Run run, Row load, T* to, std::int64_t step) noexcept {
  const std::int64_t stride = sizes.w.stride, plane_bytes = sizes.pixels() * element_bytes;
  const auto take = [&](const Piece& piece) {
    T* const first = to + piece.at;
    T* const middle = first + piece.before;
    std::fill_n(first, piece.before, T(0));
    std::fill_n(middle + piece.inside, piece.after, T(0));
    if (piece.inside == 0) return;
    const char* const from = plane + piece.place * element_bytes;
    if (load != nullptr) return load(piece.inside, middle, from, nullptr, {1, stride});
    if (stride == 1) {
      std::memcpy(middle, from, static_cast<std::size_t>(piece.inside) * sizeof(T));
      return;
    }
    const T* const elements = reinterpret_cast<const T*>(from);
    for (std::int64_t k = 0; k < piece.inside; ++k) middle[k] = elements[k * stride];
  };
  for (std::int64_t c = 0; c < channels; ++c, plane += plane_bytes) {
    for (std::int64_t i = 0; i < sizes.h.kernel; ++i) {
      for (std::int64_t j = 0; j < sizes.w.kernel; ++j, to += step) {
        for_pieces(sizes, run, i, j, take);
      }
    }
  }
}

/// Adds such a matrix to the elements under the windows.
template <class T>
void add_patches(const Convolution& sizes, T* plane, std::int64_t channels, Run run, const T* from,
                 std::int64_t step) noexcept {
  const std::int64_t stride = sizes.w.stride;
  const auto add = [&](const Piece& piece) {
    if (piece.inside == 0) return;
    const T* const added = from + piece.at + piece.before;
    T* const to = plane + piece.place;
    if (stride == 1) {
      for (std::int64_t k = 0; k < piece.inside; ++k) to[k] += added[k];
    } else {
      for (std::int64_t k = 0; k < piece.inside; ++k) to[k * stride] += added[k];
    }
  };
  for (std::int64_t c = 0; c < channels; ++c, plane += sizes.pixels()) {
    for (std::int64_t i = 0; i < sizes.h.kernel; ++i) {
      for (std::int64_t j = 0; j < sizes.w.kernel; ++j, from += step) {
        for_pieces(sizes, run, i, j, add);
      }
    }
  }
}

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_WINDOWS_PATCHES_HPP_

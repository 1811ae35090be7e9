// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The elements under the windows of a convolution as a matrix, which turns it into a product.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_PATCHES_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_PATCHES_HPP_

#include <algorithm>
#include <cstdint>

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

/// Whether windows and elements lie alike: then the elements under (i, j) are the image, shifted.
inline bool is_shift(const Convolution& sizes) noexcept {
  return sizes.h.stride == 1 && sizes.w.stride == 1 && sizes.w.windows == sizes.w.extent;
}

/// The image as element (i, j) of the kernel sees it, if it is a shift: window w has element
/// w + by, but for the windows outside [begin, end) and those of the columns without elements.
class Shift {
 public:
  Shift(const Convolution& sizes, Run run, std::int64_t i, std::int64_t j) noexcept
      : run_(run), width_(sizes.w.extent), columns_(inside_of(sizes.w, j)) {
    const Inside rows = inside_of(sizes.h, i);
    const std::int64_t row = i * sizes.h.dilation - sizes.h.padding;
    by = row * width_ + j * sizes.w.dilation - sizes.w.padding;
    const std::int64_t last = run.begin + run.count;
    begin = std::clamp(std::max(rows.begin * width_, -by), run.begin, last);
    end = std::clamp(std::min(rows.end * width_, sizes.pixels() - by), begin, last);
  }

  /// Sets the windows of the run without elements to 0. `to` has the run's windows.
  template <class T>
  void clear_edges(T* to) const noexcept {
    std::fill_n(to, begin - run_.begin, T(0));
    std::fill_n(to + (end - run_.begin), run_.begin + run_.count - end, T(0));
    if (columns_.begin == 0 && columns_.end == width_) return;
    for (std::int64_t row = begin / width_ * width_; row < end; row += width_) {
      clear(to, row, row + columns_.begin);
      clear(to, row + columns_.end, row + width_);
    }
  }

  std::int64_t by, begin, end;

 private:
  template <class T>
  void clear(T* to, std::int64_t first, std::int64_t last) const noexcept {
    first = std::max(first, begin);
    last = std::min(last, end);
    for (; first < last; ++first) to[first - run_.begin] = T(0);
  }

  const Run run_;
  const std::int64_t width_;
  const Inside columns_;
};

/// Calls body(i, j, number) for the elements of the kernel; `number` counts them.
template <class Body>
void for_kernel(const Convolution& sizes, const Body& body) noexcept {
  std::int64_t number = 0;
  for (std::int64_t i = 0; i < sizes.h.kernel; ++i) {
    for (std::int64_t j = 0; j < sizes.w.kernel; ++j) body(i, j, number++);
  }
}

/// to[((c kh + i) kw + j) step + w]: the element of channel c under (i, j) of window w of the run.
/// `load` converts elements; null if they have type T.
template <class T>
void take_patches(const Convolution& sizes, const char* plane, std::int64_t element_bytes,
                  std::int64_t channels, Run run, Row load, T* to, std::int64_t step) noexcept {
  const std::int64_t stride = sizes.w.stride, pixels = sizes.pixels();
  const std::int64_t next = sizes.kernel() * step;  // from one channel to the next
  const auto take_shifted = [&](std::int64_t i, std::int64_t j, std::int64_t number) {
    const Shift shift(sizes, run, i, j);
    const std::int64_t count = shift.end - shift.begin;
    const T* from = reinterpret_cast<const T*>(plane);
    T* out = to + number * step;
    for (std::int64_t c = 0; c < channels; ++c, from += pixels, out += next) {
      if (count > 0) {
        std::copy_n(from + (shift.begin + shift.by), count, out + (shift.begin - run.begin));
      }
      shift.clear_edges(out);
    }
  };
  const auto take_piece = [&](const Piece& piece, const char* from, T* out) {
    T* const first = out + piece.at;
    T* const middle = first + piece.before;
    std::fill_n(first, piece.before, T(0));
    std::fill_n(middle + piece.inside, piece.after, T(0));
    if (piece.inside == 0) return;
    from += piece.place * element_bytes;
    if (load != nullptr) return load(piece.inside, middle, from, nullptr, {1, stride});
    const T* const elements = reinterpret_cast<const T*>(from);
    for (std::int64_t k = 0; k < piece.inside; ++k) middle[k] = elements[k * stride];
  };
  for_kernel(sizes, [&](std::int64_t i, std::int64_t j, std::int64_t number) {
    if (load == nullptr && is_shift(sizes)) return take_shifted(i, j, number);
    for_pieces(sizes, run, i, j, [&](const Piece& piece) {
      for (std::int64_t c = 0; c < channels; ++c) {
        take_piece(piece, plane + c * pixels * element_bytes, to + c * next + number * step);
      }
    });
  });
}

/// Adds such a matrix to the elements under the windows, and changes the matrix where windows have
/// no elements.
template <class T>
void add_patches(const Convolution& sizes, T* plane, std::int64_t channels, Run run, T* from,
                 std::int64_t step) noexcept {
  const std::int64_t stride = sizes.w.stride, pixels = sizes.pixels();
  const std::int64_t next = sizes.kernel() * step;
  const auto add_shifted = [&](std::int64_t i, std::int64_t j, std::int64_t number) {
    const Shift shift(sizes, run, i, j);
    const std::int64_t count = shift.end - shift.begin;
    T* added = from + number * step;
    T* to = plane;
    for (std::int64_t c = 0; c < channels && count > 0; ++c, added += next, to += pixels) {
      shift.clear_edges(added);
      const T* const windows = added + (shift.begin - run.begin);
      T* const places = to + (shift.begin + shift.by);
      for (std::int64_t w = 0; w < count; ++w) places[w] += windows[w];
    }
  };
  for_kernel(sizes, [&](std::int64_t i, std::int64_t j, std::int64_t number) {
    if (is_shift(sizes)) return add_shifted(i, j, number);
    for_pieces(sizes, run, i, j, [&](const Piece& piece) {
      const T* added = from + number * step + piece.at + piece.before;
      T* to = plane + piece.place;
      if (piece.inside == 0) return;
      for (std::int64_t c = 0; c < channels; ++c, added += next, to += pixels) {
        if (stride == 1) {
          for (std::int64_t k = 0; k < piece.inside; ++k) to[k] += added[k];
        } else {
          for (std::int64_t k = 0; k < piece.inside; ++k) to[k * stride] += added[k];
        }
      }
    });
  });
}

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_PATCHES_HPP_

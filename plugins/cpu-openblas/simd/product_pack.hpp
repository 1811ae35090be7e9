// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies parts of a matrix into the order in which the loop over a tile reads them.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_PRODUCT_PACK_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_PRODUCT_PACK_HPP_

#include "product_tile.hpp"
#include "square.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

/// Turns a square of vectors of kBytes.
template <class T, int kBytes>
PATCHBAY_INLINE void turn_square(const T* from, std::int64_t line, T* to, std::int64_t width) {
  using Turned = Square<T, kBytes>;
  Turned square;
  PATCHBAY_UNROLL
  for (int l = 0; l < Turned::kSize; ++l) {
    square.row[l] = load<typename Turned::Vector>(from + l * line);
  }
  square.template turn<Turned::kSize / 2>();
  PATCHBAY_UNROLL
  for (int l = 0; l < Turned::kSize; ++l) store(to + l * width, square.row[l]);
}

/// Turns squares of lines from `l` on, for the steps of a cache line, while whole ones are left.
/// Returns the first line that is left.
template <class T, int kBytes>
PATCHBAY_INLINE std::int64_t turn_lines(const T* from, std::int64_t line, std::int64_t l,
                                        std::int64_t lines, T* to, std::int64_t width) {
  constexpr int kSide = kBytes / static_cast<int>(sizeof(T));
  constexpr int kTogether = kLineBytes / static_cast<int>(sizeof(T));
  for (; l + kSide <= lines; l += kSide) {
    PATCHBAY_UNROLL
    for (int s = 0; s < kTogether; s += kSide) {
      turn_square<T, kBytes>(from + l * line + s, line, to + s * width + l, width);
    }
  }
  return l;
}

/// to[step * width + l] = from[l * line + step * next] for `lines` lines; pads the width with
/// zeros.
template <class T>
void pack_any(const T* from, std::int64_t line, std::int64_t next, std::int64_t lines,
              std::int64_t width, std::int64_t k, T* to) {
  for (std::int64_t step = 0; step < k; ++step) {
    for (std::int64_t l = 0; l < lines; ++l) to[l] = from[l * line];
    for (std::int64_t l = lines; l < width; ++l) to[l] = T(0);
    from += next;
    to += width;
  }
}

/// Packs adjacent lines.
template <class T>
void pack_rows(const T* from, std::int64_t next, std::int64_t lines, std::int64_t width,
               std::int64_t k, T* to) {
  for (std::int64_t step = 0; step < k; ++step) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(lines) * sizeof(T));
    for (std::int64_t l = lines; l < width; ++l) to[l] = T(0);
    from += next;
    to += width;
  }
}
template <class T, int kWidth>
void pack_whole_rows(const T* from, std::int64_t next, std::int64_t k, T* to) {
  for (std::int64_t step = 0; step < k; ++step) {
    __builtin_memcpy(to, from, kWidth * sizeof(T));
    from += next;
    to += kWidth;
  }
}

/// Packs lines of unit stride. Reads a cache line at once, because many lines that are a
/// power of two apart would evict each other.
template <class T>
void pack_turned(const T* from, std::int64_t line, std::int64_t lines, std::int64_t width,
                 std::int64_t k, T* to) {
  constexpr int kSide = 16 / static_cast<int>(sizeof(T));
  constexpr int kTogether = kLineBytes / static_cast<int>(sizeof(T));
  const std::int64_t whole_lines = lines / kSide * kSide, whole = k / kTogether * kTogether;
  for (std::int64_t step = 0; step < whole; step += kTogether) {
    std::int64_t l = 0;
    if constexpr (kVectorBytes >= 32) {
      l = turn_lines<T, 32>(from + step, line, l, whole_lines, to + step * width, width);
    }
    turn_lines<T, 16>(from + step, line, l, whole_lines, to + step * width, width);
  }
  if (whole_lines < width) {
    for (std::int64_t step = 0; step < whole; ++step) {
      for (std::int64_t l = whole_lines; l < width; ++l) {
        to[step * width + l] = l < lines ? from[l * line + step] : T(0);
      }
    }
  }
  pack_any(from + whole, line, 1, lines, width, k - whole, to + whole * width);
}

template <class T>
void pack(const T* from, std::int64_t line, std::int64_t next, std::int64_t lines,
          std::int64_t width, std::int64_t k, T* to) {
  if (line == 1) {
    if (lines == kTileRows<T> && width == lines)
      return pack_whole_rows<T, kTileRows<T>>(from, next, k, to);
    if (lines == kTileColumns && width == lines)
      return pack_whole_rows<T, kTileColumns>(from, next, k, to);
    return pack_rows(from, next, lines, width, k, to);
  }
  if (next == 1) return pack_turned(from, line, lines, width, k, to);
  pack_any(from, line, next, lines, width, k, to);
}

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_PRODUCT_PACK_HPP_

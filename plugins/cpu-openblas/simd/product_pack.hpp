// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies parts of a matrix into the order in which the loop over a tile reads them.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_PRODUCT_PACK_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_PRODUCT_PACK_HPP_

#include "product_tile.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

// Four lines of four floats, or two of two doubles, are transposed in registers.
typedef float Quad __attribute__((vector_size(16)));
typedef float LooseQuad __attribute__((vector_size(16), aligned(4), may_alias));
typedef double Pair __attribute__((vector_size(16)));
typedef double LoosePair __attribute__((vector_size(16), aligned(8), may_alias));

template <class T>
constexpr int kSquare = 16 / static_cast<int>(sizeof(T));

inline void turn_square(const float* from, std::int64_t line, float* to, std::int64_t width) {
  const Quad a = *reinterpret_cast<const LooseQuad*>(from);
  const Quad b = *reinterpret_cast<const LooseQuad*>(from + line);
  const Quad c = *reinterpret_cast<const LooseQuad*>(from + 2 * line);
  const Quad d = *reinterpret_cast<const LooseQuad*>(from + 3 * line);
  const Quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Quad ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Quad cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  *reinterpret_cast<LooseQuad*>(to) = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  *reinterpret_cast<LooseQuad*>(to + width) = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  *reinterpret_cast<LooseQuad*>(to + 2 * width) =
      __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  *reinterpret_cast<LooseQuad*>(to + 3 * width) =
      __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

inline void turn_square(const double* from, std::int64_t line, double* to, std::int64_t width) {
  const Pair a = *reinterpret_cast<const LoosePair*>(from);
  const Pair b = *reinterpret_cast<const LoosePair*>(from + line);
  *reinterpret_cast<LoosePair*>(to) = __builtin_shufflevector(a, b, 0, 2);
  *reinterpret_cast<LoosePair*>(to + width) = __builtin_shufflevector(a, b, 1, 3);
}

#if defined(__AVX2__)
PATCHBAY_INLINE void turn_large_square(const float* from, std::int64_t line, float* to,
                                       std::int64_t width) {
  typedef float Eight __attribute__((vector_size(32)));
  Eight a[8], b[8];
  PATCHBAY_UNROLL
  for (int l = 0; l < 8; ++l) a[l] = load<Eight>(from + l * line);
  PATCHBAY_UNROLL
  for (int l = 0; l < 8; l += 2) {
    b[l] = __builtin_shufflevector(a[l], a[l + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    b[l + 1] = __builtin_shufflevector(a[l], a[l + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  PATCHBAY_UNROLL
  for (int l = 0; l < 8; l += 4) {
    PATCHBAY_UNROLL
    for (int i = 0; i < 2; ++i) {
      a[l + 2 * i] = __builtin_shufflevector(b[l + i], b[l + i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      a[l + 2 * i + 1] =
          __builtin_shufflevector(b[l + i], b[l + i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  PATCHBAY_UNROLL
  for (int l = 0; l < 4; ++l) {
    store(to + l * width, __builtin_shufflevector(a[l], a[l + 4], 0, 1, 2, 3, 8, 9, 10, 11));
    store(to + (l + 4) * width,
          __builtin_shufflevector(a[l], a[l + 4], 4, 5, 6, 7, 12, 13, 14, 15));
  }
}
PATCHBAY_INLINE void turn_large_square(const double* from, std::int64_t line, double* to,
                                       std::int64_t width) {
  typedef double Four __attribute__((vector_size(32)));
  const Four a = load<Four>(from), b = load<Four>(from + line), c = load<Four>(from + 2 * line),
             d = load<Four>(from + 3 * line);
  const Four ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const Four ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Four cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const Four cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  store(to, __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5));
  store(to + width, __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5));
  store(to + 2 * width, __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7));
  store(to + 3 * width, __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7));
}
#endif

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
  constexpr int kSide = kSquare<T>, kTogether = kLineBytes / static_cast<int>(sizeof(T));
  const std::int64_t whole_lines = lines / kSide * kSide, whole = k / kTogether * kTogether;
  for (std::int64_t step = 0; step < whole; step += kTogether) {
    std::int64_t l = 0;
#if defined(__AVX2__)
    for (; l + 2 * kSide <= whole_lines; l += 2 * kSide) {
      PATCHBAY_UNROLL
      for (int s = 0; s < kTogether; s += 2 * kSide) {
        turn_large_square(from + l * line + step + s, line, to + (step + s) * width + l, width);
      }
    }
#endif
    for (; l < whole_lines; l += kSide) {
      for (int s = 0; s < kTogether; s += kSide) {
        turn_square(from + l * line + step + s, line, to + (step + s) * width + l, width);
      }
    }
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

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The inner loop of float products: computes one tile of the output in registers. Each element is
// one chain of fused multiply-adds along k, independent of the tile's extents, so bits do not
// depend on how the output is divided.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_PRODUCT_TILE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_PRODUCT_TILE_HPP_

#include "target.hpp"

#define PATCHBAY_UNROLL _Pragma("GCC unroll 16")

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

template <class T, int kBytes>
struct Vectors {
  typedef T Type __attribute__((vector_size(kBytes)));
  typedef T Loose __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
};
template <class T, int kBytes = kVectorBytes>
using Vector = typename Vectors<T, kBytes>::Type;
template <class T>
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

// Accumulators fill the registers, except for a column of a and an element of b.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int kTileVectors = 3, kTileColumns = 8;  // of 32 registers
#else
constexpr int kTileVectors = 2, kTileColumns = 6;  // of 16
#endif
template <class T>
constexpr int kTileRows = kTileVectors* kLanes<T>;

template <class V, class T>
inline V load(const T* from) {
  return *reinterpret_cast<const typename Vectors<T, sizeof(V)>::Loose*>(from);
}
template <class V, class T>
inline void store(T* to, const V& value) {
  *reinterpret_cast<typename Vectors<T, sizeof(V)>::Loose*>(to) = value;
}

/// Loads the first `count` lanes (at least 1); the others are 0.
template <class V, class T>
inline V load_first(const T* from, std::int64_t count) {
  if (count * static_cast<std::int64_t>(sizeof(T)) == sizeof(V)) return load<V>(from);
  V value{};
  __builtin_memcpy(&value, from, static_cast<std::size_t>(count) * sizeof(T));
  return value;
}
template <class V, class T>
inline void store_first(T* to, const V& value, std::int64_t count) {
  if (count * static_cast<std::int64_t>(sizeof(T)) == sizeof(V)) return store(to, value);
  __builtin_memcpy(to, &value, static_cast<std::size_t>(count) * sizeof(T));
}
#if defined(__AVX512F__)
inline __mmask16 first_lanes(std::int64_t count) {
  return static_cast<__mmask16>((1U << count) - 1);
}
template <>
inline Vector<float> load_first<Vector<float>>(const float* from, std::int64_t count) {
  return _mm512_maskz_loadu_ps(first_lanes(count), from);
}
template <>
inline void store_first(float* to, const Vector<float>& value, std::int64_t count) {
  _mm512_mask_storeu_ps(to, first_lanes(count), value);
}
template <>
inline Vector<double> load_first<Vector<double>>(const double* from, std::int64_t count) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>(first_lanes(count)), from);
}
template <>
inline void store_first(double* to, const Vector<double>& value, std::int64_t count) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>(first_lanes(count)), value);
}
#endif

/// out = alpha sums + beta out. Multiplications by 1 are omitted, and each of the others is
/// separate, so that compilers can fuse only the one with beta.
template <class V, class T>
inline V finish(V sums, const T* out, std::int64_t count, T alpha, T beta) {
  if (alpha != T(1)) sums *= alpha;
  if (beta == T(0)) return sums;  // out is not read
  const V before = load_first<V>(out, count);
  return beta == T(1) ? before + sums : before * beta + sums;
}

/// `a` has unit stride along its rows and is readable up to the end of the last vector.
template <class T>
struct Tile {
  std::int64_t k;
  const T* a;
  std::int64_t a_step;  // to the next column
  const T* b;
  std::int64_t b_step, b_next;  // to the next row, to the next column
  T* out;
  std::int64_t out_next;  // to the next column
  std::int64_t rows;
  T alpha, beta;
};

/// The number of rows to which a strip of `rows` rows (at most kTileRows) is padded: half a vector,
/// or whole ones.
template <class T>
inline std::int64_t padded_rows(std::int64_t rows) {
  if (rows <= kLanes<T> / 2) return kLanes<T> / 2;
  return (rows + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

/// Packed inputs are in the order of the loop: kVectors vectors of a, then kColumns elements of b,
/// at each step.
/// Columns of an unpacked a are prefetched, because the hardware does not follow short runs of
/// memory that are far apart.
template <class T, int kBytes, int kVectors, int kColumns, bool kPacked>
void multiply_tile(const Tile<T>& tile) {
  using V = Vector<T, kBytes>;
  constexpr int kWidth = kBytes / static_cast<int>(sizeof(T));
  V sums[kColumns][kVectors];
  PATCHBAY_UNROLL
  for (int j = 0; j < kColumns; ++j) {
    PATCHBAY_UNROLL
    for (int i = 0; i < kVectors; ++i) sums[j][i] = V{};
  }
  const std::int64_t a_step = kPacked ? kVectors * kWidth : tile.a_step;
  const std::int64_t b_step = kPacked ? kColumns : tile.b_step;
  const std::int64_t b_next = kPacked ? 1 : tile.b_next;
  const T* a = tile.a;
  const T* b = tile.b;
  for (std::int64_t step = tile.k; step > 0; --step) {
    V column[kVectors];
    PATCHBAY_UNROLL
    for (int i = 0; i < kVectors; ++i) column[i] = load<V>(a + i * kWidth);
    if constexpr (!kPacked) {
      constexpr std::int64_t kAhead = 8;
      PATCHBAY_UNROLL
      for (int i = 0; i < kVectors; ++i) __builtin_prefetch(a + kAhead * a_step + i * kWidth);
    }
    PATCHBAY_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      const T factor = b[j * b_next];
      PATCHBAY_UNROLL
      for (int i = 0; i < kVectors; ++i) sums[j][i] += column[i] * factor;
    }
    a += a_step;
    b += b_step;
  }
  PATCHBAY_UNROLL
  for (int j = 0; j < kColumns; ++j) {
    T* const out = tile.out + j * tile.out_next;
    PATCHBAY_UNROLL
    for (int i = 0; i < kVectors; ++i) {
      const std::int64_t count = i + 1 < kVectors ? kWidth : tile.rows - i * kWidth;
      T* const at = out + i * kWidth;
      store_first(at, finish(sums[j][i], at, count, tile.alpha, tile.beta), count);
    }
  }
}

template <class T>
using TileLoop = void (*)(const Tile<T>& tile);

/// The loop for a tile of at most kTileRows rows and kTileColumns columns, both at least 1.
template <class T, bool kPacked, int kVectors = kTileVectors, int kColumns = kTileColumns>
TileLoop<T> tile_loop(std::int64_t rows, std::int64_t columns) {
  if constexpr (kColumns > 1) {
    if (columns < kColumns) return tile_loop<T, kPacked, kVectors, kColumns - 1>(rows, columns);
  }
  if constexpr (kVectors > 1) {
    if (rows <= (kVectors - 1) * kLanes<T>) {
      return tile_loop<T, kPacked, kVectors - 1, kColumns>(rows, columns);
    }
  } else {
    if (rows <= kLanes<T> / 2) return multiply_tile<T, kVectorBytes / 2, 1, kColumns, kPacked>;
  }
  return multiply_tile<T, kVectorBytes, kVectors, kColumns, kPacked>;
}

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_PRODUCT_TILE_HPP_

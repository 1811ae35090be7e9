// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions with stride 1, whose source is read in place: neighbouring windows have neighbouring
// elements of the source at each step. Each result is one chain of fused multiply-adds along the
// steps, as in product_tile.hpp.
#include "cpu-openblas/simd/product_tile.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

/// The windows of one vector: the source's element at step 0 under the first of them, and where the
/// results of the first filter go.
template <class T>
struct Place {
  const T* source;
  T* result;
  std::int64_t windows;
};

template <class T, int kBytes, int kVectors, int kColumns>
void sum_tile(const DirectBlock& block, const T* weight, std::int64_t filter,
              const Place<T>* places) {
  using V = Vector<T, kBytes>;
  V sums[kColumns][kVectors];
  PATCHBAY_UNROLL
  for (int j = 0; j < kColumns; ++j) {
    PATCHBAY_UNROLL
    for (int i = 0; i < kVectors; ++i) sums[j][i] = V{};
  }
  const T* source[kVectors];
  PATCHBAY_UNROLL
  for (int i = 0; i < kVectors; ++i) source[i] = places[i].source;
  for (std::int64_t step = 0; step < block.steps; ++step) {
    const std::int64_t offset = block.offsets[step];
    V column[kVectors];
    PATCHBAY_UNROLL
    for (int i = 0; i < kVectors; ++i) column[i] = load<V>(source[i] + offset);
    PATCHBAY_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      const T factor = weight[j];
      PATCHBAY_UNROLL
      for (int i = 0; i < kVectors; ++i) sums[j][i] += column[i] * factor;
    }
    weight += kColumns;
  }
  PATCHBAY_UNROLL
  for (int j = 0; j < kColumns; ++j) {
    PATCHBAY_UNROLL
    for (int i = 0; i < kVectors; ++i) {
      T* const to = places[i].result + (filter + j) * block.plane;
      if (block.adds) sums[j][i] = load_first<V>(to, places[i].windows) + sums[j][i];
      store_first(to, sums[j][i], places[i].windows);
    }
  }
}

template <class T>
using SumTile = void (*)(const DirectBlock&, const T*, std::int64_t, const Place<T>*);

template <class T, int kBytes, int kVectors, int kColumns = kTileColumns>
SumTile<T> loop_of(std::int64_t vectors, std::int64_t columns) {
  if constexpr (kColumns > 1) {
    if (columns < kColumns) return loop_of<T, kBytes, kVectors, kColumns - 1>(vectors, columns);
  }
  if constexpr (kVectors > 1) {
    if (vectors < kVectors) return loop_of<T, kBytes, kVectors - 1, kColumns>(vectors, columns);
  }
  return sum_tile<T, kBytes, kVectors, kColumns>;
}

template <class T, int kBytes>
void sum_block(const DirectBlock& block) {
  constexpr std::int64_t kWide = kBytes / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t row_vectors = (block.windows + kWide - 1) / kWide;
  const std::int64_t vectors = block.rows * row_vectors;
  for (std::int64_t filter = 0; filter < block.filters; filter += kTileColumns) {
    const std::int64_t left = block.filters - filter;
    const std::int64_t columns = left < kTileColumns ? left : kTileColumns;
    const T* const weight = static_cast<const T*>(block.weight) + filter * block.steps;
    std::int64_t row = 0, x = 0;
    for (std::int64_t first = 0; first < vectors; first += kTileVectors) {
      const std::int64_t count = vectors - first < kTileVectors ? vectors - first : kTileVectors;
      Place<T> places[kTileVectors];
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t after = block.windows - x;
        places[i] = {static_cast<const T*>(block.source) + row * block.pitch + x,
                     static_cast<T*>(block.result) + row * block.windows + x,
                     after < kWide ? after : kWide};
        x += kWide;
        if (x >= block.windows) x = 0, ++row;
      }
      loop_of<T, kBytes, kTileVectors>(count, columns)(block, weight, filter, places);
    }
  }
}

/// Half vectors where the others of a row would be empty.
template <class T>
void sum_windows(const DirectBlock& block) {
  if (2 * block.windows <= kLanes<T>) return sum_block<T, kVectorBytes / 2>(block);
  sum_block<T, kVectorBytes>(block);
}

}  // namespace

void fill_direct(SimdTable& table) {
  table.direct[PATCHBAY_F32] = {sum_windows<float>, kLanes<float>, kTileColumns};
  table.direct[PATCHBAY_F64] = {sum_windows<double>, kLanes<double>, kTileColumns};
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD

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

// ------------------------------------------------------------------- gradient of the weight ---

// Registers hold the sums, the elements under the windows, and the gradient of one filter.
constexpr int kSumFilters = 4, kSumColumns = 3;

/// The sums of a tile over all images. In a row's last vector, elements beyond the windows count as
/// 0, whatever the source has there.
template <class T, int kBytes, int kFilters, int kColumns>
void add_weight_tile(const DirectWeightBlock& block, std::int64_t filter, std::int64_t column) {
  using V = Vector<T, kBytes>;
  constexpr std::int64_t kWide = kBytes / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t whole = block.windows / kWide * kWide;
  decltype(V{} < V{}) is_inside{};
  for (std::int64_t i = whole; i < block.windows; ++i) is_inside[i - whole] = -1;
  V sums[kFilters][kColumns];
  PATCHBAY_UNROLL
  for (int f = 0; f < kFilters; ++f) {
    PATCHBAY_UNROLL
    for (int c = 0; c < kColumns; ++c) sums[f][c] = V{};
  }
  const auto add = [&](const V(&source)[kColumns], const T* grad) __attribute__((always_inline)) {
    PATCHBAY_UNROLL
    for (int f = 0; f < kFilters; ++f) {
      const V slope = load<V>(grad + f * block.grad_filter);
      PATCHBAY_UNROLL
      for (int c = 0; c < kColumns; ++c) sums[f][c] += source[c] * slope;
    }
  };
  for (std::int64_t image = 0; image < block.images; ++image) {
    const T* source = static_cast<const T*>(block.source) + image * block.source_image +
                      column * block.column_step;
    const T* grad =
        static_cast<const T*>(block.grad) + image * block.grad_image + filter * block.grad_filter;
    for (std::int64_t row = 0; row < block.rows; ++row) {
      V elements[kColumns];
      for (std::int64_t i = 0; i < whole; i += kWide) {
        PATCHBAY_UNROLL
        for (int c = 0; c < kColumns; ++c) {
          elements[c] = load<V>(source + i + c * block.column_step);
        }
        add(elements, grad + i);
      }
      if (whole < block.windows) {
        PATCHBAY_UNROLL
        for (int c = 0; c < kColumns; ++c) {
          const V loaded = load<V>(source + whole + c * block.column_step);
          elements[c] = is_inside ? loaded : V{};
        }
        add(elements, grad + whole);
      }
      source += block.source_pitch;
      grad += block.grad_pitch;
    }
  }
  T* const to = static_cast<T*>(block.sums);
  PATCHBAY_UNROLL
  for (int f = 0; f < kFilters; ++f) {
    PATCHBAY_UNROLL
    for (int c = 0; c < kColumns; ++c) {
      T* const vector = to + ((filter + f) * block.columns + column + c) * kWide;
      store(vector, load<V>(vector) + sums[f][c]);
    }
  }
}

using AddWeightTile = void (*)(const DirectWeightBlock&, std::int64_t, std::int64_t);

template <class T, int kBytes, int kFilters = kSumFilters, int kColumns = kSumColumns>
AddWeightTile weight_loop_of(std::int64_t filters, std::int64_t columns) {
  if constexpr (kFilters > 1) {
    if (filters < kFilters)
      return weight_loop_of<T, kBytes, kFilters - 1, kColumns>(filters, columns);
  }
  if constexpr (kColumns > 1) {
    if (columns < kColumns)
      return weight_loop_of<T, kBytes, kFilters, kColumns - 1>(filters, columns);
  }
  return add_weight_tile<T, kBytes, kFilters, kColumns>;
}

template <class T, int kBytes>
void add_weight_block(const DirectWeightBlock& block) {
  for (std::int64_t filter = 0; filter < block.filters; filter += kSumFilters) {
    for (std::int64_t column = 0; column < block.columns; column += kSumColumns) {
      weight_loop_of<T, kBytes>(block.filters - filter, block.columns - column)(block, filter,
                                                                                column);
    }
  }
}

template <class T>
void add_weight(const DirectWeightBlock& block) {
  if (2 * block.windows <= kLanes<T>) return add_weight_block<T, kVectorBytes / 2>(block);
  add_weight_block<T, kVectorBytes>(block);
}

}  // namespace

void fill_direct(SimdTable& table) {
  table.direct[PATCHBAY_F32] = {sum_windows<float>, add_weight<float>, kLanes<float>, kTileColumns};
  table.direct[PATCHBAY_F64] = {sum_windows<double>, add_weight<double>, kLanes<double>,
                                kTileColumns};
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions with stride 1, whose source is read in place: neighbouring windows have neighbouring
// elements of the source at each step. Each result is one chain of fused multiply-adds along the
// steps, as in product_tile.hpp.
#include "cpu-openblas/simd/product_tile.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

// A vector has windows of one row. Where half of it would be empty, it has those of two rows, if
// the processor joins halves in registers.
constexpr bool kHasPairs = kVectorBytes >= 32;
template <class T>
using Half = Vector<T, kVectorBytes / 2>;

template <class T>
PATCHBAY_INLINE Vector<T> joined(const Half<T>& low, const Half<T>& high) {
  if constexpr (kLanes<T> == 16) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  } else if constexpr (kLanes<T> == 8) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  } else {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
  }
}
template <class T>
PATCHBAY_INLINE Half<T> low_half(const Vector<T>& v) {
  if constexpr (kLanes<T> == 16) return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
  if constexpr (kLanes<T> == 8) return __builtin_shufflevector(v, v, 0, 1, 2, 3);
  if constexpr (kLanes<T> == 4) return __builtin_shufflevector(v, v, 0, 1);
}
template <class T>
PATCHBAY_INLINE Half<T> high_half(const Vector<T>& v) {
  if constexpr (kLanes<T> == 16) return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  if constexpr (kLanes<T> == 8) return __builtin_shufflevector(v, v, 4, 5, 6, 7);
  if constexpr (kLanes<T> == 4) return __builtin_shufflevector(v, v, 2, 3);
}

/// The windows of one vector: the source's element at step 0 under the first of them, and where the
/// results of the first filter go. Of a pair, those of both rows; there may be no second result.
template <class T>
struct VectorWindows {
  const T* source;
  T* result;
  std::int64_t windows;
  const T* second_source;
  T* second_result;
};

template <class V, class T>
PATCHBAY_INLINE void store_sums(T* to, const V& sums, std::int64_t windows, bool adds) {
  store_first(to, adds ? load_first<V>(to, windows) + sums : sums, windows);
}

template <class T, bool kPairs, int kVectors, int kColumns>
void sum_tile(const DirectBlock& block, const T* weight, std::int64_t filter,
              const VectorWindows<T>* places) {
  using V = Vector<T>;
  V sums[kColumns][kVectors];
  PATCHBAY_UNROLL
  for (int j = 0; j < kColumns; ++j) {
    PATCHBAY_UNROLL
    for (int i = 0; i < kVectors; ++i) sums[j][i] = V{};
  }
  const T *source[kVectors], *second[kVectors];
  PATCHBAY_UNROLL
  for (int i = 0; i < kVectors; ++i) {
    source[i] = places[i].source;
    second[i] = places[i].second_source;
  }
  for (std::int64_t step = 0; step < block.steps; ++step) {
    const std::int64_t offset = block.offsets[step];
    V column[kVectors];
    PATCHBAY_UNROLL
    for (int i = 0; i < kVectors; ++i) {
      if constexpr (kPairs) {
        column[i] = joined<T>(load<Half<T>>(source[i] + offset), load<Half<T>>(second[i] + offset));
      } else {
        column[i] = load<V>(source[i] + offset);
      }
    }
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
      const VectorWindows<T>& place = places[i];
      const std::int64_t from_first = (filter + j) * block.plane;
      if constexpr (kPairs) {
        store_sums(place.result + from_first, low_half<T>(sums[j][i]), place.windows, block.adds);
        if (place.second_result == nullptr) continue;
        store_sums(place.second_result + from_first, high_half<T>(sums[j][i]), place.windows,
                   block.adds);
      } else {
        store_sums(place.result + from_first, sums[j][i], place.windows, block.adds);
      }
    }
  }
}

template <class T>
using SumTile = void (*)(const DirectBlock&, const T*, std::int64_t, const VectorWindows<T>*);

template <class T, bool kPairs, int kVectors = kTileVectors, int kColumns = kTileColumns>
SumTile<T> loop_of(std::int64_t vectors, std::int64_t columns) {
  if constexpr (kColumns > 1) {
    if (columns < kColumns) return loop_of<T, kPairs, kVectors, kColumns - 1>(vectors, columns);
  }
  if constexpr (kVectors > 1) {
    if (vectors < kVectors) return loop_of<T, kPairs, kVectors - 1, kColumns>(vectors, columns);
  }
  return sum_tile<T, kPairs, kVectors, kColumns>;
}

/// The places of the vectors of a block, one after the other.
template <class T, bool kPairs>
class Places {
 public:
  explicit Places(const DirectBlock& block) : block_(block) {}

  std::int64_t count() const {
    if constexpr (kPairs) return (block_.rows + 1) / 2;
    return block_.rows * ((block_.windows + kLanes<T> - 1) / kLanes<T>);
  }
  VectorWindows<T> next() {
    const T* const source = static_cast<const T*>(block_.source) + row_ * block_.pitch + x_;
    T* const result = static_cast<T*>(block_.result) + row_ * block_.windows + x_;
    if constexpr (kPairs) {
      const bool has_second = row_ + 1 < block_.rows;
      row_ += 2;
      return {source, result, block_.windows, has_second ? source + block_.pitch : source,
              has_second ? result + block_.windows : nullptr};
    }
    const std::int64_t after = block_.windows - x_;
    x_ += kLanes<T>;
    if (x_ >= block_.windows) x_ = 0, ++row_;
    return {source, result, after < kLanes<T> ? after : kLanes<T>, nullptr, nullptr};
  }

 private:
  const DirectBlock& block_;
  std::int64_t row_ = 0, x_ = 0;
};

template <class T, bool kPairs>
void sum_block(const DirectBlock& block) {
  for (std::int64_t filter = 0; filter < block.filters; filter += kTileColumns) {
    const std::int64_t left = block.filters - filter;
    const std::int64_t columns = left < kTileColumns ? left : kTileColumns;
    const T* const weight = static_cast<const T*>(block.weight) + filter * block.steps;
    Places<T, kPairs> all(block);
    std::int64_t left_vectors = all.count();
    for (std::int64_t tiles = (left_vectors + kTileVectors - 1) / kTileVectors; tiles > 0;
         --tiles) {
      const std::int64_t count = (left_vectors + tiles - 1) / tiles;  // 4 are 2 and 2, not 3 and 1
      left_vectors -= count;
      VectorWindows<T> places[kTileVectors];
      for (std::int64_t i = 0; i < count; ++i) places[i] = all.next();
      loop_of<T, kPairs>(count, columns)(block, weight, filter, places);
    }
  }
}

template <class T>
void sum_windows(const DirectBlock& block) {
  if constexpr (kHasPairs) {
    if (2 * block.windows <= kLanes<T>) return sum_block<T, true>(block);
  }
  sum_block<T, false>(block);
}

// ------------------------------------------------------------------- gradient of the weight ---

// Registers hold the sums, the elements under the windows, and the gradient of one filter.
#if defined(__AVX512F__)
constexpr int kSumFilters = 8, kSumColumns = 3;
#else
constexpr int kSumFilters = 4, kSumColumns = 3;
#endif

/// Loads vectors of rows: whole ones, or the halves of two rows.
template <class T, bool kPairs>
struct RowVectors {
  static constexpr std::int64_t kWide = kPairs ? kLanes<T> / 2 : kLanes<T>;

  PATCHBAY_INLINE Vector<T> operator()(const T* from, std::int64_t pitch, bool has_second) const {
    if constexpr (kPairs) {
      return joined<T>(load<Half<T>>(from), has_second ? load<Half<T>>(from + pitch) : Half<T>{});
    } else {
      return load<Vector<T>>(from);
    }
  }
};

/// The sums of a tile over all images. In a row's last vector, elements beyond the windows count as
/// 0, whatever the source has there.
template <class T, bool kPairs, int kFilters, int kColumns>
void add_weight_tile(const DirectWeightBlock& block, std::int64_t column) {
  using V = Vector<T>;
  constexpr RowVectors<T, kPairs> row_vector;
  constexpr std::int64_t kWide = row_vector.kWide, kRows = kPairs ? 2 : 1;
  const std::int64_t whole = block.windows / kWide * kWide;
  decltype(V{} < V{}) is_inside{};
  for (std::int64_t i = whole; i < block.windows; ++i) {
    is_inside[i - whole] = -1;
    if constexpr (kPairs) is_inside[i - whole + kWide] = -1;
  }
  V sums[kFilters][kColumns];
  PATCHBAY_UNROLL
  for (int f = 0; f < kFilters; ++f) {
    PATCHBAY_UNROLL
    for (int c = 0; c < kColumns; ++c) sums[f][c] = V{};
  }
  for (std::int64_t image = 0; image < block.images; ++image) {
    const T* source = static_cast<const T*>(block.source) + image * block.source_image +
                      column * block.column_step;
    const T* grad = static_cast<const T*>(block.grad) + image * block.grad_image;
    for (std::int64_t row = 0; row < block.rows; row += kRows) {
      const bool has_second = row + 1 < block.rows;
      const auto add = [&](const V(&elements)[kColumns], const T* slopes)
          __attribute__((always_inline)) {
        PATCHBAY_UNROLL
        for (int f = 0; f < kFilters; ++f) {
          const V slope = row_vector(slopes + f * block.grad_filter, block.grad_pitch, has_second);
          PATCHBAY_UNROLL
          for (int c = 0; c < kColumns; ++c) sums[f][c] += elements[c] * slope;
        }
      };
      V elements[kColumns];
      for (std::int64_t i = 0; i < whole; i += kWide) {
        PATCHBAY_UNROLL
        for (int c = 0; c < kColumns; ++c) {
          elements[c] =
              row_vector(source + i + c * block.column_step, block.source_pitch, has_second);
        }
        add(elements, grad + i);
      }
      if (whole < block.windows) {
        PATCHBAY_UNROLL
        for (int c = 0; c < kColumns; ++c) {
          const V loaded =
              row_vector(source + whole + c * block.column_step, block.source_pitch, has_second);
          elements[c] = is_inside ? loaded : V{};
        }
        add(elements, grad + whole);
      }
      source += kRows * block.source_pitch;
      grad += kRows * block.grad_pitch;
    }
  }
  T* const to = static_cast<T*>(block.sums);
  PATCHBAY_UNROLL
  for (int f = 0; f < kFilters; ++f) {
    PATCHBAY_UNROLL
    for (int c = 0; c < kColumns; ++c) {
      T* const vector = to + (f * block.columns + column + c) * kWide;
      if constexpr (kPairs) {
        const Half<T> both = low_half<T>(sums[f][c]) + high_half<T>(sums[f][c]);
        store(vector, load<Half<T>>(vector) + both);
      } else {
        store(vector, load<V>(vector) + sums[f][c]);
      }
    }
  }
}

using AddWeightTile = void (*)(const DirectWeightBlock&, std::int64_t);

template <class T, bool kPairs, int kFilters = kSumFilters, int kColumns = kSumColumns>
AddWeightTile weight_loop_of(std::int64_t filters, std::int64_t columns) {
  if constexpr (kFilters > 1) {
    if (filters < kFilters) {
      return weight_loop_of<T, kPairs, kFilters - 1, kColumns>(filters, columns);
    }
  }
  if constexpr (kColumns > 1) {
    if (columns < kColumns) {
      return weight_loop_of<T, kPairs, kFilters, kColumns - 1>(filters, columns);
    }
  }
  return add_weight_tile<T, kPairs, kFilters, kColumns>;
}

template <class T, bool kPairs>
void add_weight_block(const DirectWeightBlock& block) {
  for (std::int64_t column = 0; column < block.columns; column += kSumColumns) {
    weight_loop_of<T, kPairs>(block.filters, block.columns - column)(block, column);
  }
}

template <class T>
void add_weight(const DirectWeightBlock& block) {
  if constexpr (kHasPairs) {
    if (2 * block.windows <= kLanes<T>) return add_weight_block<T, true>(block);
  }
  add_weight_block<T, false>(block);
}

}  // namespace

void fill_direct(SimdTable& table) {
  table.direct[PATCHBAY_F32] = {sum_windows<float>, add_weight<float>, kLanes<float>,
                                kTileColumns,       kHasPairs,         kSumFilters};
  table.direct[PATCHBAY_F64] = {sum_windows<double>, add_weight<double>, kLanes<double>,
                                kTileColumns,        kHasPairs,          kSumFilters};
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD

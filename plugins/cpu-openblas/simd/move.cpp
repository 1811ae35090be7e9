// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies, fills (copies of one repeated element), transposed tiles, arange.
#include "rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

struct Same {
  template <class T>
  static T apply(T a) {
    return a;
  }
};

template <class T>
void transpose(std::int64_t rows, std::int64_t columns, void* out, std::int64_t out_row,
               const void* in, std::int64_t in_column) {
  T* o = static_cast<T*>(out);
  const T* x = static_cast<const T*>(in);
  constexpr std::int64_t kTile = 8;
  std::int64_t row = 0;
  for (; row + kTile <= rows; row += kTile) {
    for (std::int64_t column = 0; column < columns; ++column) {
      for (std::int64_t i = 0; i < kTile; ++i) {
        o[(row + i) * out_row + column] = x[column * in_column + row + i];
      }
    }
  }
  for (; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      o[row * out_row + column] = x[column * in_column + row];
    }
  }
}

/// Floats in double precision, so that the error does not grow with the index.
template <class T>
void arange(std::int64_t first, std::int64_t n, void* out, std::int64_t step, const void* start,
            const void* increment) {
  T* o = static_cast<T*>(out);
  const T s = *static_cast<const T*>(start);
  const T d = *static_cast<const T*>(increment);
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (kIsFloat<T>) {
      o[i * step] = static_cast<T>(static_cast<double>(s) +
                                   static_cast<double>(first + i) * static_cast<double>(d));
    } else {
      o[i * step] =
          static_cast<T>(static_cast<std::uint64_t>(s) +
                         static_cast<std::uint64_t>(first + i) * static_cast<std::uint64_t>(d));
    }
  }
}

template <class T>
void fill_size(SimdTable& table, int dtype) {
  table.copy[dtype] = unary_row<Same, T, T>;
  table.transpose[dtype] = transpose<T>;
}

}  // namespace

void fill_move(SimdTable& table) {
  fill_size<std::uint32_t>(table, PATCHBAY_F32);
  fill_size<std::uint64_t>(table, PATCHBAY_F64);
  fill_size<std::uint16_t>(table, PATCHBAY_F16);
  fill_size<std::uint16_t>(table, PATCHBAY_BF16);
  fill_size<std::uint32_t>(table, PATCHBAY_I32);
  fill_size<std::uint64_t>(table, PATCHBAY_I64);
  fill_size<std::uint8_t>(table, PATCHBAY_U8);
  fill_size<std::uint8_t>(table, PATCHBAY_BOOL);
  table.arange[PATCHBAY_F32] = arange<float>;
  table.arange[PATCHBAY_F64] = arange<double>;
  table.arange[PATCHBAY_I32] = arange<std::int32_t>;
  table.arange[PATCHBAY_I64] = arange<std::int64_t>;
  table.arange[PATCHBAY_U8] = arange<std::uint8_t>;
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD

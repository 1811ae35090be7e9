// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies, fills (copies of a repeated element), transposes of tiles, arange.
#include "half_rows.hpp"
#include "square.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

struct Same {
  template <class T>
  static T apply(T a) {
    return a;
  }
};

template <class T>
inline void transpose_plainly(std::int64_t rows, std::int64_t columns, T* out, std::int64_t out_row,
                              const T* in, std::int64_t in_column) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      out[row * out_row + column] = in[column * in_column + row];
    }
  }
}

template <class T>
inline void transpose_square(T* out, std::int64_t out_row, const T* in, std::int64_t in_column) {
  using S = Square<T>;
  S square;
  for (int i = 0; i < S::kSize; ++i)
    __builtin_memcpy(&square.row[i], in + i * in_column, kVectorBytes);
  square.template turn<S::kSize / 2>();
  for (int i = 0; i < S::kSize; ++i)
    __builtin_memcpy(out + i * out_row, &square.row[i], kVectorBytes);
}

template <class T>
void transpose(std::int64_t rows, std::int64_t columns, void* out, std::int64_t out_row,
               const void* in, std::int64_t in_column) {
  T* o = static_cast<T*>(out);
  const T* x = static_cast<const T*>(in);
  if constexpr (sizeof(T) < 4) {
    transpose_plainly(rows, columns, o, out_row, x, in_column);
  } else {
    constexpr std::int64_t kSize = Square<T>::kSize;
    const std::int64_t square_rows = rows / kSize * kSize;
    const std::int64_t square_columns = columns / kSize * kSize;
    for (std::int64_t column = 0; column < square_columns; column += kSize) {
      for (std::int64_t row = 0; row < square_rows; row += kSize) {
        transpose_square(o + row * out_row + column, out_row, x + column * in_column + row,
                         in_column);
      }
    }
    transpose_plainly(square_rows, columns - square_columns, o + square_columns, out_row,
                      x + square_columns * in_column, in_column);
    transpose_plainly(rows - square_rows, columns, o + square_rows * out_row, out_row,
                      x + square_rows, in_column);
  }
}

/// Computes floats in double precision, so that the error does not grow with the index.
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

template <class H>
void half_arange(std::int64_t first, std::int64_t n, void* out, std::int64_t step,
                 const void* start, const void* increment) {
  H* o = static_cast<H*>(out);
  const double s = static_cast<double>(to_f32(*static_cast<const H*>(start)));
  const double d = static_cast<double>(to_f32(*static_cast<const H*>(increment)));
  for (std::int64_t i = 0; i < n; ++i) {
    narrow_one(to_odd_f32(s + static_cast<double>(first + i) * d), o[i * step]);
  }
}

template <class T>
void fill_size(SimdTable& table, int dtype) {
  table.copy[dtype] = unary_row<Same, T, T>;
  table.transpose[dtype] = transpose<T>;
}

}  // namespace

void fill_move(SimdTable& table) {
#define PATCHBAY_ROW(name, printed, NAME, number, size_bytes, ...) \
  fill_size<BitsOf<size_bytes>::type>(table, number);
  PATCHBAY_DTYPES(PATCHBAY_ROW)
#undef PATCHBAY_ROW
  table.arange[PATCHBAY_F32] = arange<float>;
  table.arange[PATCHBAY_F64] = arange<double>;
  table.arange[PATCHBAY_F16] = half_arange<F16>;
  table.arange[PATCHBAY_BF16] = half_arange<Bf16>;
  table.arange[PATCHBAY_I32] = arange<std::int32_t>;
  table.arange[PATCHBAY_I64] = arange<std::int64_t>;
  table.arange[PATCHBAY_U8] = arange<std::uint8_t>;
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD

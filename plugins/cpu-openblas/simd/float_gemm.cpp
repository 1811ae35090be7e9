// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of float matrices. Large ones are packed in blocks that stay in the caches: a block of b
// in the last level, one of a in the second, a strip of b in the first. Their depth is a constant,
// so that bits do not depend on the number of threads or on the caches.
#include <unistd.h>

#include "matrix_vector.hpp"
#include "product_pack.hpp"
#include "product_tile.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

constexpr std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
constexpr std::int64_t most(std::int64_t a, std::int64_t b) { return a > b ? a : b; }

/// The bytes of a core's second-level cache that blocks are for.
inline std::int64_t second_level_cache() {
  static const std::int64_t bytes = [] {
    constexpr std::int64_t kLeast = 256 << 10, kMost = 2 << 20, kIfUnknown = 512 << 10;
    const std::int64_t told = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return told > 0 ? least(most(told, kLeast), kMost) : kIfUnknown;
  }();
  return bytes;
}

/// The most bytes of a column of the output for which packing b does not pay, because each of its
/// elements is used so few times. All of a is one block then.
constexpr std::int64_t kThinBytes = 384;

template <class T>
struct Blocks {
#if defined(__AVX512F__)
  static constexpr std::int64_t kDepth = sizeof(T) == 4 ? 512 : 384;
#else
  static constexpr std::int64_t kDepth = sizeof(T) == 4 ? 512 : 256;
#endif
  static constexpr std::int64_t kColumns = 1024 / kTileColumns * kTileColumns;
  /// Of a quarter of the cache, because the other block and the output pass through it, and
  /// programs of a processor's other threads may share it.
  static std::int64_t rows() {
    constexpr std::int64_t kRowBytes = kDepth * static_cast<std::int64_t>(sizeof(T));
    constexpr std::int64_t kLeastBytes = 192 << 10, kMostBytes = 384 << 10;
    static_assert(kLeastBytes / kRowBytes / kTileRows<T> * kTileRows<T> *
                      static_cast<std::int64_t>(sizeof(T)) >=
                  kThinBytes);
    const std::int64_t room = least(most(second_level_cache() / 4, kLeastBytes), kMostBytes);
    return room / kRowBytes / kTileRows<T> * kTileRows<T>;
  }
};

constexpr std::int64_t round_up(std::int64_t n, std::int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

template <class T>
struct Matrices {
  const T* a;
  const T* b;
  T* out;
  std::int64_t a_row, a_column, b_row, b_column, out_column;
  T alpha, beta;
};

template <class T>
Matrices<T> matrices_of(const FloatGemm& p) {
  return {static_cast<const T*>(p.a),
          static_cast<const T*>(p.b),
          static_cast<T*>(p.out),
          p.a_strides[0],
          p.a_strides[1],
          p.b_strides[0],
          p.b_strides[1],
          p.out_strides[1],
          *static_cast<const T*>(p.alpha),
          *static_cast<const T*>(p.beta)};
}

/// out = beta out
template <class T>
void scale_out(const FloatGemm& p) {
  const T beta = *static_cast<const T*>(p.beta);
  for (std::int64_t j = 0; j < p.n; ++j) {
    T* const out = static_cast<T*>(p.out) + j * p.out_strides[1];
    for (std::int64_t i = 0; i < p.m; ++i) {
      T& x = out[i * p.out_strides[0]];
      x = beta == T(0) ? T(0) : beta * x;
    }
  }
}

/// Computes `rows` rows of the output from `row` on; b is not packed.
template <class T>
void multiply_strip(const Matrices<T>& x, std::int64_t k, std::int64_t n, std::int64_t row,
                    std::int64_t rows, const T* a, std::int64_t a_step) {
  for (std::int64_t j = 0; j < n; j += kTileColumns) {
    tile_loop<T, false>(rows, least(n - j, kTileColumns))(
        {k, a, a_step, x.b + j * x.b_column, x.b_row, x.b_column, x.out + row + j * x.out_column,
         x.out_column, rows, x.alpha, x.beta});
  }
}

/// For small products whose a has unit stride along m: packs only rows that do not fill a vector.
template <class T>
void multiply_small(const FloatGemm& p) {
  const Matrices<T> x = matrices_of<T>(p);
  const std::int64_t whole = p.m / kLanes<T> * kLanes<T>;
  for (std::int64_t row = 0; row < whole; row += kTileRows<T>) {
    multiply_strip<T>(x, p.k, p.n, row, least(whole - row, kTileRows<T>), x.a + row, x.a_column);
  }
  if (whole == p.m) return;
  alignas(kLineBytes) T last[Blocks<T>::kDepth * kLanes<T>];
  const std::int64_t width = padded_rows<T>(p.m - whole);
  pack<T>(x.a + whole, x.a_row, x.a_column, p.m - whole, width, p.k, last);
  multiply_strip<T>(x, p.k, p.n, whole, p.m - whole, last, width);
}

/// Multiplies packed blocks of a and b.
template <class T>
void multiply_block(const T* a, const T* b, std::int64_t rows, std::int64_t columns, std::int64_t k,
                    T* out, std::int64_t out_column, T alpha, T beta) {
  for (std::int64_t j = 0; j < columns; j += kTileColumns) {
    const std::int64_t tile_columns = least(columns - j, kTileColumns);
    for (std::int64_t i = 0; i < rows; i += kTileRows<T>) {
      const std::int64_t tile_rows = least(rows - i, kTileRows<T>);
      tile_loop<T, true>(tile_rows,
                         tile_columns)({k, a + i * k, 0, b + j * k, 0, 0, out + i + j * out_column,
                                        out_column, tile_rows, alpha, beta});
    }
  }
}

template <class T>
void pack_rows_of_a(const Matrices<T>& x, std::int64_t row, std::int64_t rows, std::int64_t step,
                    std::int64_t k, T* to) {
  for (std::int64_t i = 0; i < rows; i += kTileRows<T>) {
    const std::int64_t count = least(rows - i, kTileRows<T>);
    pack<T>(x.a + (row + i) * x.a_row + step * x.a_column, x.a_row, x.a_column, count,
            padded_rows<T>(count), k, to + i * k);
  }
}

template <class T>
void pack_columns_of_b(const Matrices<T>& x, std::int64_t column, std::int64_t columns,
                       std::int64_t step, std::int64_t k, T* to) {
  for (std::int64_t j = 0; j < columns; j += kTileColumns) {
    const std::int64_t count = least(columns - j, kTileColumns);
    pack<T>(x.b + (column + j) * x.b_column + step * x.b_row, x.b_column, x.b_row, count, count, k,
            to + j * k);
  }
}

/// The rows of all of a, packed: only the last strip is padded.
template <class T>
std::int64_t packed_rows(std::int64_t m) {
  const std::int64_t whole = m / kTileRows<T> * kTileRows<T>;
  return whole == m ? m : whole + padded_rows<T>(m - whole);
}

template <class T>
void pack_a(const FloatGemm& p, void* to) {
  const Matrices<T> x = matrices_of<T>(p);
  T* block = static_cast<T*>(to);
  for (std::int64_t step = 0; step < p.k; step += Blocks<T>::kDepth) {
    const std::int64_t k = least(p.k - step, Blocks<T>::kDepth);
    pack_rows_of_a(x, 0, p.m, step, k, block);
    block += packed_rows<T>(p.m) * k;
  }
}

/// Some rows of a, packed: of all of a where that is kept, else packed now.
template <class T>
const T* block_of_a(const FloatGemm& p, const Matrices<T>& x, std::int64_t row, std::int64_t rows,
                    std::int64_t step, std::int64_t k) {
  if (p.packed_a != nullptr) {
    return static_cast<const T*>(p.packed_a) + step * packed_rows<T>(p.m) + row * k;
  }
  T* const block = static_cast<T*>(p.scratch);
  pack_rows_of_a(x, row, rows, step, k, block);
  return block;
}

template <class T>
void multiply_large(const FloatGemm& p) {
  using Block = Blocks<T>;
  const std::int64_t block_rows = Block::rows();
  const Matrices<T> x = matrices_of<T>(p);
  T* const packed_b = static_cast<T*>(p.scratch) +
                      round_up(least(p.m, block_rows), kLanes<T>) * least(p.k, Block::kDepth);
  for (std::int64_t j = 0; j < p.n; j += Block::kColumns) {
    const std::int64_t columns = least(p.n - j, Block::kColumns);
    for (std::int64_t step = 0; step < p.k; step += Block::kDepth) {
      const std::int64_t k = least(p.k - step, Block::kDepth);
      pack_columns_of_b(x, j, columns, step, k, packed_b);
      const T beta = step == 0 ? x.beta : T(1);
      for (std::int64_t i = 0; i < p.m; i += block_rows) {
        const std::int64_t rows = least(p.m - i, block_rows);
        multiply_block<T>(block_of_a(p, x, i, rows, step, k), packed_b, rows, columns, k,
                          x.out + i + j * x.out_column, x.out_column, x.alpha, beta);
      }
    }
  }
}

template <class T>
constexpr bool is_thin(std::int64_t m) {
  return m * static_cast<std::int64_t>(sizeof(T)) <= kThinBytes;
}

/// Whether a tile's columns of b, each a run of memory, stay in the first-level cache where they
/// lie. Runs that are a power of two apart would evict each other.
template <class T>
bool can_read_in_place(const FloatGemm& p) {
  constexpr std::int64_t kApart = 1 << 10;
  return p.b_strides[0] == 1 && p.b_strides[1] * static_cast<std::int64_t>(sizeof(T)) % kApart != 0;
}

/// Packs a, and reads b where it lies.
template <class T>
void multiply_in_place(const FloatGemm& p) {
  const std::int64_t block_rows = Blocks<T>::rows();
  const Matrices<T> x = matrices_of<T>(p);
  for (std::int64_t step = 0; step < p.k; step += Blocks<T>::kDepth) {
    const std::int64_t k = least(p.k - step, Blocks<T>::kDepth);
    const T beta = step == 0 ? x.beta : T(1);
    for (std::int64_t row = 0; row < p.m; row += block_rows) {
      const std::int64_t end = least(p.m, row + block_rows);
      const T* const a = block_of_a(p, x, row, end - row, step, k);
      for (std::int64_t j = 0; j < p.n; j += kTileColumns) {
        const T* const b = x.b + j * x.b_column + step * x.b_row;
        for (std::int64_t i = row; i < end; i += kTileRows<T>) {
          const std::int64_t rows = least(end - i, kTileRows<T>);
          tile_loop<T, false>(rows, least(p.n - j, kTileColumns))(
              {k, a + (i - row) * k, padded_rows<T>(rows), b, x.b_row, x.b_column,
               x.out + i + j * x.out_column, x.out_column, rows, x.alpha, beta});
        }
      }
    }
  }
}

/// Whether packing does not pay: a stays in the second-level cache, or a block would be used once.
/// With unit rows of b a tile reads few cache lines of it, so a may be larger.
template <class T>
bool is_small(std::int64_t m, std::int64_t n, std::int64_t k, bool a_has_unit_rows,
              bool b_has_unit_rows) {
  constexpr std::int64_t kMostBytes = 256 << 10, kManyColumns = 128;
  if (!a_has_unit_rows || k > Blocks<T>::kDepth) return false;
  const std::int64_t bytes = m * k * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t cache = second_level_cache();
  return n <= kTileColumns || bytes <= least(cache / 4, kMostBytes) ||
         (b_has_unit_rows && n >= kManyColumns && bytes <= cache / 2);
}

template <class T>
std::int64_t scratch_elements(std::int64_t m, std::int64_t n, std::int64_t k,
                              bool a_has_unit_rows) {
  if (is_small<T>(m, n, k, a_has_unit_rows, false)) return 0;
  using Block = Blocks<T>;
  const std::int64_t columns = is_thin<T>(m) ? 0 : least(n, Block::kColumns);
  return (round_up(least(m, Block::rows()), kLanes<T>) + columns) * least(k, Block::kDepth);
}

template <class T>
std::int64_t packed_elements(std::int64_t m, std::int64_t n, std::int64_t k, bool a_has_unit_rows,
                             bool b_has_unit_rows) {
  return is_small<T>(m, n, k, a_has_unit_rows, b_has_unit_rows) ? 0 : packed_rows<T>(m) * k;
}

template <class T>
void multiply(const FloatGemm& p) {
  if (p.k == 0 || *static_cast<const T*>(p.alpha) == T(0)) return scale_out<T>(p);
  if (p.is_vector) return multiply_vector<T>(p);
  if (p.packed_a == nullptr &&
      is_small<T>(p.m, p.n, p.k, p.a_strides[0] == 1, p.b_strides[0] == 1)) {
    return multiply_small<T>(p);
  }
  if (is_thin<T>(p.m) || can_read_in_place<T>(p)) return multiply_in_place<T>(p);
  multiply_large<T>(p);
}

}  // namespace

void fill_float_gemm(SimdTable& table) {
  table.float_gemm[PATCHBAY_F32] = {multiply<float>, pack_a<float>, packed_elements<float>,
                                    scratch_elements<float>};
  table.float_gemm[PATCHBAY_F64] = {multiply<double>, pack_a<double>, packed_elements<double>,
                                    scratch_elements<double>};
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD

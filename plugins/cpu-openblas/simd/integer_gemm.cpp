// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of integer matrices: packs a block of b into the first-level cache and runs rows of a
// over it. Arithmetic wraps.
#include "target.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

constexpr std::int64_t kDepth = 64;
constexpr std::int64_t kColumns = 64;

template <class U>
struct Block {
  alignas(kLineBytes) U b[kDepth][kColumns];
  std::int64_t depth, columns;
};

template <class U>
inline const U* element(const void* data, const std::int64_t (&strides)[2], std::int64_t row,
                        std::int64_t column) {
  return static_cast<const U*>(data) + row * strides[0] + column * strides[1];
}

/// Fills the rest of the block with zeros, so that all loops have one length.
template <class U>
void pack(const IntegerGemm& p, std::int64_t k, std::int64_t column, Block<U>& block) {
  for (std::int64_t i = 0; i < block.depth; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      block.b[i][j] = j < block.columns ? *element<U>(p.b, p.b_strides, k + i, column + j) : U(0);
    }
  }
}

template <class U>
void add_row(const IntegerGemm& p, const Block<U>& block, std::int64_t row, std::int64_t k,
             std::int64_t column) {
  U sums[kColumns] = {};
  for (std::int64_t i = 0; i < block.depth; ++i) {
    const U a = *element<U>(p.a, p.a_strides, row, k + i);
    PATCHBAY_VECTORISE
    for (std::int64_t j = 0; j < kColumns; ++j) sums[j] += a * block.b[i][j];
  }
  const U alpha = *static_cast<const U*>(p.alpha);
  U* out = static_cast<U*>(p.out) + row * p.out_strides[0] + column * p.out_strides[1];
  for (std::int64_t j = 0; j < block.columns; ++j) out[j * p.out_strides[1]] += alpha * sums[j];
}

template <class U>
void scale_out(const IntegerGemm& p) {
  const U beta = *static_cast<const U*>(p.beta);
  for (std::int64_t i = 0; i < p.m; ++i) {
    U* out = static_cast<U*>(p.out) + i * p.out_strides[0];
    for (std::int64_t j = 0; j < p.n; ++j) {
      U& x = out[j * p.out_strides[1]];
      x = beta == 0 ? 0 : beta * x;
    }
  }
}

template <class U>
void integer_gemm(const IntegerGemm& p) {
  scale_out<U>(p);
  Block<U> block;
  for (std::int64_t column = 0; column < p.n; column += kColumns) {
    block.columns = p.n - column < kColumns ? p.n - column : kColumns;
    for (std::int64_t k = 0; k < p.k; k += kDepth) {
      block.depth = p.k - k < kDepth ? p.k - k : kDepth;
      pack(p, k, column, block);
      for (std::int64_t row = 0; row < p.m; ++row) add_row(p, block, row, k, column);
    }
  }
}

}  // namespace

void fill_integer_gemm(SimdTable& table) {
  table.integer_gemm[PATCHBAY_I32] = integer_gemm<std::uint32_t>;
  table.integer_gemm[PATCHBAY_I64] = integer_gemm<std::uint64_t>;
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD

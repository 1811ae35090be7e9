// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/half_product.hpp"

#include <algorithm>

namespace patchbay::cpu {
namespace {

// Each converted element takes part in this many multiply-adds, which hide the conversion.
constexpr std::int64_t kTile = 512;
constexpr std::int64_t kBytes = 2;  // of an element

struct Extents {
  std::int64_t m, n, k;
};
Extents tile_of(const GemmProblem& p) {
  return {std::min(p.m, kTile), std::min(p.n, kTile), std::min(p.k, kTile)};
}

/// Rounded up to whole cache lines, to align what follows.
std::int64_t tiles_floats(const Extents& tile) {
  return (tile.m * tile.n + tile.m * tile.k + tile.k * tile.n + 15) / 16 * 16;
}

const char* element(const char* data, const std::int64_t (&strides)[2], std::int64_t row,
                    std::int64_t column) {
  return data + (row * strides[0] + column * strides[1]) * kBytes;
}

}  // namespace

std::int64_t HalfProduct::scratch_floats(const GemmProblem& problem) const noexcept {
  const Extents tile = tile_of(problem);
  const bool a_by_columns = problem.a_strides[0] == 1;
  // Tiles at the edge are smaller, but may be packed where whole ones are not.
  return tiles_floats(tile) + floats_.scratch_elements(tile.m, tile.n, tile.k, a_by_columns);
}

void HalfProduct::widen_lines(const char* from, std::int64_t stride, std::int64_t lines,
                              std::int64_t length, float* to) const noexcept {
  for (std::int64_t line = 0; line < lines; ++line) {
    widen_(length, to + line * length, from + line * stride * kBytes, nullptr, {});
  }
}

void HalfProduct::compute(const GemmProblem& p, float alpha, float beta,
                          float* scratch) const noexcept {
  const Extents tile = tile_of(p);
  float* const c = scratch;
  float* const a = c + tile.m * tile.n;
  float* const b = a + tile.m * tile.k;
  float* const packed = scratch + tiles_floats(tile);
  const bool a_by_columns = p.a_strides[0] == 1, b_by_columns = p.b_strides[0] == 1;
  for (std::int64_t j = 0; j < p.n; j += kTile) {
    const std::int64_t columns = std::min(kTile, p.n - j);
    for (std::int64_t i = 0; i < p.m; i += kTile) {
      const std::int64_t rows = std::min(kTile, p.m - i);
      const char* const out = element(p.out, p.out_strides, i, j);
      if (beta != 0) widen_lines(out, p.out_strides[1], columns, rows, c);
      std::int64_t begin = 0;
      do {
        const std::int64_t depth = std::min(kTile, p.k - begin);
        widen_lines(element(p.a, p.a_strides, i, begin), p.a_strides[a_by_columns ? 1 : 0],
                    a_by_columns ? depth : rows, a_by_columns ? rows : depth, a);
        widen_lines(element(p.b, p.b_strides, begin, j), p.b_strides[b_by_columns ? 1 : 0],
                    b_by_columns ? columns : depth, b_by_columns ? depth : columns, b);
        const float before = begin == 0 ? beta : 1.0F;
        FloatGemm product{rows,       columns,   depth,  a,       b,      c,    {1, rows},
                          {1, depth}, {1, rows}, &alpha, &before, packed, false};
        if (!a_by_columns) product.a_strides[0] = depth, product.a_strides[1] = 1;
        if (!b_by_columns) product.b_strides[0] = columns, product.b_strides[1] = 1;
        floats_.multiply(product);
        begin += depth;
      } while (begin < p.k);
      for (std::int64_t line = 0; line < columns; ++line) {
        char* const to = p.out + ((j + line) * p.out_strides[1] + i) * kBytes;
        narrow_(rows, to, c + line * rows, nullptr, {});
      }
    }
  }
}

}  // namespace patchbay::cpu

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/gemm.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace patchbay::cpu {
namespace {

// The inner loops compute multiples of 16 rows on wide machines.
constexpr std::int64_t kRowUnit = 16;
constexpr std::int64_t kColumnUnit = 4;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t round_up(std::int64_t a, std::int64_t unit) { return divide_up(a, unit) * unit; }

/// Replaces the stride of an extent of at most 1, which has no effect, by a suitable one.
void tidy(std::int64_t rows, std::int64_t columns, std::int64_t (&strides)[2]) {
  if (rows == 0 || columns == 0) {
    strides[0] = 1;
    strides[1] = std::max<std::int64_t>(rows, 1);
  }
  if (rows == 1 && strides[1] != 1) strides[0] = 1;
  if (columns == 1 && strides[0] != 1) strides[1] = 1;
  if (rows == 1 && strides[1] == 1) strides[0] = std::max<std::int64_t>(columns, 1);
  if (columns == 1 && strides[0] == 1) strides[1] = std::max<std::int64_t>(rows, 1);
}

/// Whether the strides are valid: rows or columns do not overlap.
bool is_matrix(std::int64_t rows, std::int64_t columns, const std::int64_t (&strides)[2]) {
  return (strides[0] == 1 && strides[1] >= rows) || (strides[1] == 1 && strides[0] >= columns);
}

GemmGrid make_grid(std::int64_t m, std::int64_t n, int m_pieces, int n_pieces) {
  const std::int64_t m_piece =
      std::max<std::int64_t>(round_up(divide_up(m, m_pieces), kRowUnit), 1);
  const std::int64_t n_piece =
      std::max<std::int64_t>(round_up(divide_up(n, n_pieces), kColumnUnit), 1);
  return {static_cast<int>(divide_up(m, m_piece)), static_cast<int>(divide_up(n, n_piece)), m_piece,
          n_piece};
}

/// The time of the largest piece, in multiply-adds: the product itself, and the packing of its two
/// inputs, where an element costs about this many multiply-adds.
double piece_cost(const GemmGrid& grid, std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr double kPackingCost = 16.0;
  const auto rows = static_cast<double>(std::min(grid.m_piece, round_up(m, kRowUnit)));
  const auto columns = static_cast<double>(std::min(grid.n_piece, round_up(n, kColumnUnit)));
  return static_cast<double>(k) * (rows * columns + kPackingCost * (rows + columns));
}

/// out^T = b^T a^T
void turn(GemmProblem& p, GemmBatch& batch) {
  std::swap(p.m, p.n);
  std::swap(p.a, p.b);
  std::swap(p.a_contents, p.b_contents);
  std::swap(p.a_strides, p.b_strides);
  std::swap(batch.a_strides, batch.b_strides);
  std::swap(p.a_strides[0], p.a_strides[1]);
  std::swap(p.b_strides[0], p.b_strides[1]);
  std::swap(p.out_strides[0], p.out_strides[1]);
  std::swap(p.bias_strides[0], p.bias_strides[1]);
}

/// A column of out from one of the bias, whose elements are `step` apart.
template <class T>
void copy_column(const GemmProblem& p, std::int64_t column) noexcept {
  const std::int64_t step = p.bias_strides[0], out_step = p.out_strides[0];
  const T* const from = reinterpret_cast<const T*>(p.bias) + column * p.bias_strides[1];
  T* const to = reinterpret_cast<T*>(p.out) + column * p.out_strides[1];
  if (step == 1 && out_step == 1) {
    std::copy_n(from, p.m, to);
  } else {
    for (std::int64_t i = 0; i < p.m; ++i) to[i * out_step] = from[i * step];
  }
}

}  // namespace

void begin_with_bias(const GemmProblem& problem, std::int64_t element_bytes) noexcept {
  for (std::int64_t column = 0; column < problem.n; ++column) {
    if (element_bytes == 2) {
      copy_column<std::uint16_t>(problem, column);
    } else if (element_bytes == 4) {
      copy_column<float>(problem, column);
    } else {
      copy_column<double>(problem, column);
    }
  }
}

GemmProblem product_of(const GemmProblem& first, const GemmBatch& batch, std::int64_t index,
                       std::int64_t element_bytes) noexcept {
  GemmProblem product = first;
  for (int d = batch.rank - 1; d >= 0; --d) {
    const std::int64_t at = index % batch.shape[d] * element_bytes;
    index /= batch.shape[d];
    product.a += at * batch.a_strides[d];
    product.b += at * batch.b_strides[d];
    product.out += at * batch.out_strides[d];
  }
  return product;
}

bool normalise(GemmProblem& p, GemmBatch& batch) noexcept {
  tidy(p.m, p.n, p.out_strides);
  tidy(p.m, p.k, p.a_strides);
  tidy(p.k, p.n, p.b_strides);
  if (p.out_strides[0] != 1) turn(p, batch);
  return is_matrix(p.m, p.n, p.out_strides) && p.out_strides[0] == 1 &&
         is_matrix(p.m, p.k, p.a_strides) && is_matrix(p.k, p.n, p.b_strides);
}

void turn_row(GemmProblem& problem, GemmBatch& batch) noexcept {
  if (problem.m == 1 && problem.n != 1) turn(problem, batch);
}

GemmGrid choose_grid(std::int64_t m, std::int64_t n, std::int64_t k, int num_threads) noexcept {
  GemmGrid best = make_grid(m, n, 1, 1);
  double best_cost = std::numeric_limits<double>::max();
  for (int m_pieces = 1; m_pieces <= num_threads; ++m_pieces) {
    const GemmGrid grid = make_grid(m, n, m_pieces, num_threads / m_pieces);
    const double cost = piece_cost(grid, m, n, k);
    if (cost < best_cost) {
      best = grid;
      best_cost = cost;
    }
  }
  return best;
}

GemmProblem piece_of(const GemmProblem& problem, const GemmGrid& grid, int index,
                     std::int64_t element_bytes) noexcept {
  const std::int64_t row = index % grid.m_pieces * grid.m_piece;
  const std::int64_t column = index / grid.m_pieces * grid.n_piece;
  GemmProblem piece = problem;
  piece.m = std::min(grid.m_piece, problem.m - row);
  piece.n = std::min(grid.n_piece, problem.n - column);
  piece.a += row * problem.a_strides[0] * element_bytes;
  piece.b += column * problem.b_strides[1] * element_bytes;
  piece.out += (row * problem.out_strides[0] + column * problem.out_strides[1]) * element_bytes;
  piece.bias += (row * problem.bias_strides[0] + column * problem.bias_strides[1]) * element_bytes;
  return piece;
}

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

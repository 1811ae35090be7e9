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
}

}  // namespace

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
  return piece;
}

}  // namespace patchbay::cpu

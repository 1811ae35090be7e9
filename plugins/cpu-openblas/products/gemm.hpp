// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Normalises matrix products, divides them among threads, and computes those of 16-bit floats.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_GEMM_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_GEMM_HPP_

#include <cstdint>

#include "patchbay/plugin/types.h"

#include "cpu-openblas/simd/table.hpp"

namespace patchbay::cpu {

/// Below this many multiply-adds a fork and join costs more than it saves.
constexpr double kWorthSplitting = 64.0 * 64.0 * 64.0;

/// out = alpha a b + beta out, with a [m, k], b [k, n], strides in elements. After
/// `normalise` out has unit stride along m, and each input has one unit stride.
struct GemmProblem {
  std::int64_t m, n, k;
  const char* a;
  const char* b;
  char* out;
  std::int64_t a_strides[2], b_strides[2], out_strides[2];
  std::uint64_t a_contents = 0, b_contents = 0;  // patchbay_argument's
  const char* bias = nullptr;         // added to each column or each row; null if there is none
  std::int64_t bias_strides[2] = {};  // one of them is 0
};

/// Writes the bias to out, to which the product is then added.
void begin_with_bias(const GemmProblem& problem, std::int64_t element_bytes) noexcept;

/// The products of a batch: strides in elements from one to the next along each dimension, 0 if an
/// input repeats.
struct GemmBatch {
  static constexpr int kMaxRank = PATCHBAY_MAX_RANK - 2;

  int rank = 0;
  std::int64_t count = 1;
  std::int64_t shape[kMaxRank] = {};
  std::int64_t a_strides[kMaxRank] = {}, b_strides[kMaxRank] = {}, out_strides[kMaxRank] = {};
};

/// The product number `index` of a batch, whose product number 0 is `first`.
GemmProblem product_of(const GemmProblem& first, const GemmBatch& batch, std::int64_t index,
                       std::int64_t element_bytes) noexcept;

/// Transposes the problem, and the batch with it, if that makes out column-major. Returns false if
/// a matrix has no unit stride.
bool normalise(GemmProblem& problem, GemmBatch& batch) noexcept;

/// Converts a product with one row to one with a column. Then out may have any stride along m.
void turn_row(GemmProblem& problem, GemmBatch& batch) noexcept;

/// The number of pieces into which the rows and columns of out are divided. Pieces are multiples of
/// what the inner kernel computes at once, if possible.
struct GemmGrid {
  int m_pieces, n_pieces;
  std::int64_t m_piece, n_piece;  // extents; the last pieces may be smaller
};

GemmGrid choose_grid(std::int64_t m, std::int64_t n, std::int64_t k, int num_threads) noexcept;

/// The piece of the problem that is number `index` of the grid; m or n may be 0.
GemmProblem piece_of(const GemmProblem& problem, const GemmGrid& grid, int index,
                     std::int64_t element_bytes) noexcept;

/// Products of 16-bit floats: converts tiles to floats, multiplies them, and rounds the result
/// once.
class HalfProduct {
 public:
  /// `widen` and `narrow` are casts to and from f32, `floats` multiplies f32.
  HalfProduct(Row widen, Row narrow, const FloatGemmLoop& floats)
      : widen_(widen), narrow_(narrow), floats_(floats) {}

  /// The number of floats that `compute` needs: three tiles and their packed copies, at most 5 MiB.
  std::int64_t scratch_floats(const GemmProblem& problem) const noexcept;
  /// The problem must be normalised, with m and n not 0.
  void compute(const GemmProblem& problem, float alpha, float beta, float* scratch) const noexcept;

 private:
  void widen_lines(const char* from, std::int64_t stride, std::int64_t lines, std::int64_t length,
                   float* to) const noexcept;

  const Row widen_, narrow_;
  const FloatGemmLoop floats_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_GEMM_HPP_

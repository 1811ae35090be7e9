// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrix products: how they are laid out, and how they are cut for several threads.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_GEMM_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_GEMM_HPP_

#include <cstdint>

#include "patchbay/plugin/types.h"

namespace patchbay::cpu {

/// out = alpha a b + beta out, with a [m, k], b [k, n], strides in elements. After
/// `normalise` out has unit stride along m, and each input has one unit stride.
struct GemmProblem {
  std::int64_t m, n, k;
  const char* a;
  const char* b;
  char* out;
  std::int64_t a_strides[2], b_strides[2], out_strides[2];
};

/// Where the products of a batch lie: strides in elements from one to the next along each of its
/// dimensions, 0 where an input repeats.
struct GemmBatch {
  static constexpr int kMaxRank = PATCHBAY_MAX_RANK - 2;

  int rank = 0;
  std::int64_t count = 1;
  std::int64_t shape[kMaxRank] = {};
  std::int64_t a_strides[kMaxRank] = {}, b_strides[kMaxRank] = {}, out_strides[kMaxRank] = {};
};

/// Product number `index` of the batch of which `first` is number 0.
GemmProblem product_of(const GemmProblem& first, const GemmBatch& batch, std::int64_t index,
                       std::int64_t element_bytes) noexcept;

/// Transposes the problem if that makes out column-major, and the batch with it. False: a matrix
/// has no unit stride.
bool normalise(GemmProblem& problem, GemmBatch& batch) noexcept;

/// Makes a product with one row a product with one column. Its out may have any stride along m.
void turn_row(GemmProblem& problem, GemmBatch& batch) noexcept;

/// Rows and columns of out are cut into these many pieces, multiples of what the inner kernel
/// computes at once where there is a choice.
struct GemmGrid {
  int m_pieces, n_pieces;
  std::int64_t m_piece, n_piece;  // extents; the last pieces may be smaller
};

GemmGrid choose_grid(std::int64_t m, std::int64_t n, std::int64_t k, int num_threads) noexcept;

/// The piece of the problem that is number `index` of the grid; m or n may be 0.
GemmProblem piece_of(const GemmProblem& problem, const GemmGrid& grid, int index,
                     std::int64_t element_bytes) noexcept;

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_GEMM_HPP_

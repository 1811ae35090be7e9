// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrix products: one serial BLAS call a thread.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_GEMM_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_GEMM_HPP_

#include <cstdint>

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

/// Transposes the problem if that makes out column-major. False: a matrix has no unit stride.
bool normalise(GemmProblem& problem) noexcept;

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

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_GEMM_HPP_

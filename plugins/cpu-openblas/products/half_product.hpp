// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of 16-bit floats: converts tiles to floats, multiplies them, and rounds the result once.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_HALF_PRODUCT_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_HALF_PRODUCT_HPP_

#include <cstdint>

#include "cpu-openblas/products/gemm.hpp"
#include "cpu-openblas/simd/table.hpp"

namespace patchbay::cpu {

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

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_HALF_PRODUCT_HPP_

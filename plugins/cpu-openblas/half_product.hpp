// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of 16-bit floats: tiles become floats, the BLAS library multiplies these, and the result
// is rounded once.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_HALF_PRODUCT_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_HALF_PRODUCT_HPP_

#include <cstdint>

#include "gemm.hpp"
#include "simd/table.hpp"
#include "symbols.hpp"

namespace patchbay::cpu {

class HalfProduct {
 public:
  /// `widen` and `narrow` are casts to and from f32.
  HalfProduct(Row widen, Row narrow, GemmEntry<float> gemm)
      : widen_(widen), narrow_(narrow), gemm_(gemm) {}

  /// Of the memory that `compute` works in: three tiles, 3 MiB at most.
  static std::int64_t scratch_floats(const GemmProblem& problem) noexcept;
  /// The problem is normalised; neither m nor n is 0.
  void compute(const GemmProblem& problem, float alpha, float beta, float* scratch) const noexcept;

 private:
  void widen_lines(const char* from, std::int64_t stride, std::int64_t lines, std::int64_t length,
                   float* to) const noexcept;

  const Row widen_, narrow_;
  const GemmEntry<float> gemm_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_HALF_PRODUCT_HPP_

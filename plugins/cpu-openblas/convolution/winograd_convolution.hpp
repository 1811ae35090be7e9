// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions of f32 with kernels of 3 x 3 and stride 1 by Winograd's algorithm, which takes a
// quarter of the products and is less exact. The bits do not depend on the number of threads.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_WINOGRAD_CONVOLUTION_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_WINOGRAD_CONVOLUTION_HPP_

#include <cstdint>

#include "cpu-openblas/products/packed_cache.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/workers.hpp"
#include "kit/windows.hpp"

namespace patchbay::cpu {

class WinogradConvolution {
 public:
  using Element = float;

  /// `of_input`: computes the gradient of the images, which is the convolution of the windows'
  /// gradient with the turned kernels.
  WinogradConvolution(const SimdTable& simd, bool of_input, Workers& workers, ScratchPool& scratch,
                      PackedCache& kept)
      : loops_(simd.winograd),
        product_(simd.float_gemm[PATCHBAY_F32]),
        of_input_(of_input),
        workers_(workers),
        scratch_(scratch),
        kept_(kept) {}

  /// Returns false, with nothing written, if the algorithm does not apply or is not faster. Throws
  /// PATCHBAY_OUT_OF_MEMORY. `weight_contents` is patchbay_argument's.
  bool compute(const Convolution& sizes, const float* source, const float* weight,
               std::uint64_t weight_contents, float* result) const;

 private:
  struct Problem;
  struct Unit;

  void transform_weight(const Problem& problem, const float* weight, float* to) const noexcept;
  /// Returns the number of tiles.
  std::int64_t transform_input(const Problem& problem, const Unit& unit) const noexcept;
  void multiply(const Problem& problem, const Unit& unit, std::int64_t tiles) const noexcept;
  void transform_output(const Problem& problem, const Unit& unit) const noexcept;

  const WinogradLoops loops_;
  const FloatGemmLoop product_;
  const bool of_input_;
  Workers& workers_;
  ScratchPool& scratch_;
  PackedCache& kept_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_WINOGRAD_CONVOLUTION_HPP_

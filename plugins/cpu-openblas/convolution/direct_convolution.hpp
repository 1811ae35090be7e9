// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions of f32 and f64 with stride 1 that read the source where it lies, with zeros around
// it. The bits do not depend on the number of threads.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_DIRECT_CONVOLUTION_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_DIRECT_CONVOLUTION_HPP_

#include <cstdint>

#include "cpu-openblas/products/packed_cache.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/workers.hpp"
#include "kit/windows.hpp"

namespace patchbay::cpu {

template <class T>
class DirectConvolution {
 public:
  using Element = T;

  /// `of_input`: computes the gradient of the images, which is the convolution of the windows'
  /// gradient with the turned kernels.
  DirectConvolution(const DirectLoop& loop, bool of_input, Workers& workers, ScratchPool& scratch,
                    PackedCache& kept)
      : loop_(loop), of_input_(of_input), workers_(workers), scratch_(scratch), kept_(kept) {}

  /// Returns false, with nothing written, if the convolution has a stride, or if products of
  /// patches are faster. Throws PATCHBAY_OUT_OF_MEMORY. `weight_contents` is patchbay_argument's.
  bool compute(const Convolution& sizes, const T* source, const T* weight,
               std::uint64_t weight_contents, T* result) const;

 private:
  struct Problem;

  void pack_weight(const Problem& problem, const T* weight, T* to) const noexcept;

  const DirectLoop loop_;
  const bool of_input_;
  Workers& workers_;
  ScratchPool& scratch_;
  PackedCache& kept_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_DIRECT_CONVOLUTION_HPP_

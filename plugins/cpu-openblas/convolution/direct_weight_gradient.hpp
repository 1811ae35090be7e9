// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Gradients of the weights of convolutions of f32 and f64 with stride 1, from the images where they
// lie, with zeros around them. The bits do not depend on the number of threads.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_DIRECT_WEIGHT_GRADIENT_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_DIRECT_WEIGHT_GRADIENT_HPP_

#include <cstdint>

#include "cpu-openblas/products/scratch.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/workers.hpp"
#include "kit/windows.hpp"

namespace patchbay::cpu {

template <class T>
class DirectWeightGradient {
 public:
  DirectWeightGradient(const DirectLoop& loop, Workers& workers, ScratchPool& scratch)
      : loop_(loop), workers_(workers), scratch_(scratch) {}

  /// Returns false, with nothing written, if the convolution has a stride, or if products of
  /// patches are faster. Throws PATCHBAY_OUT_OF_MEMORY.
  bool compute(const Convolution& sizes, const T* images, const T* grad, T* result) const;

 private:
  struct Problem;
  struct Unit;

  void compute_unit(const Problem& problem, const Unit& unit, const T* images, const T* grad,
                    T* result, T* room) const noexcept;
  void copy_images(const Problem& problem, const Unit& unit, const T* images, std::int64_t image,
                   std::int64_t count, std::int64_t row, std::int64_t rows, T* to) const noexcept;
  void copy_grad(const Problem& problem, DirectWeightBlock& block, T* to) const noexcept;
  void write_sums(const Problem& problem, const Unit& unit, T* sums, T* result) const noexcept;

  const DirectLoop loop_;
  Workers& workers_;
  ScratchPool& scratch_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_DIRECT_WEIGHT_GRADIENT_HPP_

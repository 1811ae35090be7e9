// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions of f32 by oneDNN, one image or a few at a time: each thread brings an image into the
// library's layout, computes it while it is in the cache, and brings the result back. What a unit
// of work is depends on the sizes alone, so bits do not depend on the number of threads.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_BLOCKED_CONVOLUTION_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_BLOCKED_CONVOLUTION_HPP_

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "cpu-openblas/onednn/onednn.hpp"
#include "cpu-openblas/products/packed_cache.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "cpu-openblas/threads/workers.hpp"
#include "kit/windows.hpp"

namespace patchbay::cpu {

class BlockedConvolution {
 public:
  /// `always`: also where our own loops are faster.
  struct Operands {
    float *images, *weight, *windows;
    std::uint64_t weight_contents;  // patchbay_argument's
  };

  BlockedConvolution(const OneDnn& library, bool always, ConvolutionPart part, Workers& workers,
                     ScratchPool& scratch, PackedCache& kept)
      : library_(library),
        always_(always),
        part_(part),
        workers_(workers),
        scratch_(scratch),
        kept_(kept) {}

  /// Computes the part of the convolution, of which the others are given. Returns false if our own
  /// loops must do it; the result may have been written to then. Throws PATCHBAY_OUT_OF_MEMORY.
  bool compute(const Convolution& sizes, const Operands& operands) const;

 private:
  struct Plan;

  bool is_faster(const Convolution& sizes) const noexcept;
  std::shared_ptr<const Plan> plan_for(const Convolution& sizes, const Convolution& whole) const;
  PackedCache::Block kept_weight(const Plan& plan, const Operands& in, char* scratch) const;
  bool compute_images(const Plan& plan, const Operands& in) const;
  bool compute_weight(const Plan& plan, const Operands& in) const;
  bool compute_bands(const Convolution& sizes, const Operands& in) const;

  const OneDnn& library_;
  const bool always_;
  const ConvolutionPart part_;
  Workers& workers_;
  ScratchPool& scratch_;
  PackedCache& kept_;
  mutable std::mutex mutex_;
  struct KeptPlan {
    Convolution sizes, whole;
    std::shared_ptr<const Plan> plan;
  };
  mutable std::list<KeptPlan> plans_;  // latest first
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_BLOCKED_CONVOLUTION_HPP_

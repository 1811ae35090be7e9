// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// attention.1 of f32 and f64: each thread computes the scores of some queries of a head, their
// softmax and its product with the values, while the scores are in its cache.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_ATTENTION_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_ATTENTION_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {

/// Arguments: out [b, h, q, n], query [b, h, q, d], key [b, h, k, d], value [b, h, k, n].
class AttentionKernel final : public plugin::Kernel {
 public:
  struct Loops {
    FloatGemmLoop products;
    SoftmaxLoops softmax;
  };

  AttentionKernel(Workers& workers, ScratchPool& scratch, std::uint8_t dtype, const Loops& loops,
                  double scale);

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  struct Problem;
  struct Rooms;

  void compute(const Problem& problem) const;
  void compute_unit(const Problem& problem, std::int64_t unit, char* scratch) const noexcept;
  const void* packed(const FloatGemm& product, char* room) const noexcept;

  Workers& workers_;
  ScratchPool& scratch_;
  const std::int64_t element_bytes_;
  const Loops loops_;
  const ScalarCell scale_, one_, zero_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_ATTENTION_HPP_

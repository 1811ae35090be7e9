// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Operators that compute each element of the output from one element of each input.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_ELEMENTWISE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_ELEMENTWISE_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/operands/loop_nest.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {

/// Arguments: out, then one to three inputs, each a tensor or a scalar.
class ElementwiseKernel final : public plugin::Kernel {
 public:
  struct Operation {
    Row row;                                      // for one or two inputs
    Row3 row3;                                    // for three inputs
    Transpose transpose[LoopNest::kMaxOperands];  // for the type of each operand
    std::uint8_t dtypes[LoopNest::kMaxOperands];
    int num_operands;
    int cost;  // per element, relative to its memory traffic
  };

  ElementwiseKernel(Workers& workers, const Operation& operation, std::int64_t cache_bytes);

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;
  bool has_cancellation_points() const noexcept override { return false; }

 private:
  struct Operands {
    char* data[LoopNest::kMaxOperands] = {};
    ScalarCell scalars[LoopNest::kMaxOperands];
  };

  void compute(plugin::Arguments arguments) const;
  bool compute_evenly(plugin::Arguments arguments, const Operands& operands) const;
  void compute_nest(const LoopNest& nest, const Operands& operands) const noexcept;
  void compute_tiles(const LoopNest& nest, const Operands& operands,
                     unsigned transposed) const noexcept;
  void compute_tile(const LoopNest& nest, char* const* data, std::int64_t rows,
                    std::int64_t columns, unsigned transposed) const noexcept;
  void run_row(std::int64_t n, char* const* data, const Steps& steps) const noexcept;
  bool should_stream(std::int64_t n, const Operands& operands) const noexcept;
  std::int64_t bytes_of(std::int64_t n) const noexcept;

  Workers& workers_;
  const Operation operation_;
  const std::int64_t cache_bytes_;
  std::int64_t sizes_[LoopNest::kMaxOperands] = {};  // bytes of an element
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_ELEMENTWISE_HPP_

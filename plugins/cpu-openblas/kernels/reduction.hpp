// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reductions over any dimensions. The result has the same bits for any number of threads.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_REDUCTION_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_REDUCTION_HPP_

#include <cstdint>
#include <string>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/kernels/reduction_state.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {

/// Arguments: out, in, of the same rank; dimensions with extent 1 in out and another in `in` are
/// reduced. `Method` is Reduction or ArgReduction.
template <class Method>
class ReductionKernel final : public plugin::Kernel {
 public:
  struct Operation {
    std::string name;
    Method method;
    Row copy_in, copy_out;  // from the input to a block, from accumulators to the output
    std::uint8_t in_dtype, block_dtype, accumulator_dtype, out_dtype;
    MomentPlan moment = {};  // of moment.1, which has a third argument
    Row root = nullptr;      // for it
  };

  ReductionKernel(Workers& workers, Operation operation)
      : workers_(workers), operation_(std::move(operation)) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  void compute(plugin::Arguments arguments) const;

  Workers& workers_;
  const Operation operation_;
};

extern template class ReductionKernel<Reduction>;
extern template class ReductionKernel<ArgReduction>;

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_REDUCTION_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Records calls of fused functions, and single operations as such. The backward step is a fused
// function too.
#ifndef PATCHBAY_CORE_TENSOR_ELEMENTWISE_FUSED_H_
#define PATCHBAY_CORE_TENSOR_ELEMENTWISE_FUSED_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/tensor/fuse/fused_state.h"

namespace patchbay::tensor {

/// How to compute the gradients of one output, for arguments of certain types.
struct GradientPlan {
  /// Mostly one pass is enough. Plugins limit the number of tensors.
  struct Pass {
    std::shared_ptr<FusedState> function;
    std::vector<std::size_t> inputs;  // the inputs whose gradients it computes
  };
  std::size_t output;
  std::uint32_t wanted;          // inputs that need a gradient, as bits
  std::vector<InputType> types;  // of the call's arguments
  /// The arguments of the passes: the call's, the incoming gradient, and the result of a single
  /// operation. kAbsent if no pass needs the value.
  std::vector<InputType> arguments;
  std::vector<std::size_t> unchanged;  // inputs that get the incoming gradient as it is
  /// Inputs that a gradient function reads only for a decision: their gradient is 0.
  std::vector<std::size_t> zeros;
  std::vector<Pass> passes;
  /// Whether the passes run one operation after the other, which is fastest for single operations.
  bool is_unfused = false;
};

/// Records a call: each output with gradients gets a node. `types` are the arguments'.
void record_fused(const std::shared_ptr<FusedState>& state,
                  std::span<const TensorOrScalar> arguments, std::span<const InputType> types,
                  std::span<const Tensor> results);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_ELEMENTWISE_FUSED_H_

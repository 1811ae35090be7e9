// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fused functions, and single operations as such, on the record: the step back is a fused function
// again.
#ifndef PATCHBAY_CORE_TENSOR_AUTOGRAD_FUSED_H_
#define PATCHBAY_CORE_TENSOR_AUTOGRAD_FUSED_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/tensor/fuse/fused_state.h"

namespace patchbay::tensor {

/// How the gradients of one output come about, for arguments of certain types.
struct GradientPlan {
  /// Mostly the only one. Plugins take so many tensors and no more.
  struct Pass {
    std::shared_ptr<FusedState> function;
    std::vector<std::size_t> inputs;  // whose gradients it gives
  };
  std::size_t output;
  std::uint32_t wanted;          // inputs that need a gradient, as bits
  std::vector<InputType> types;  // of the call's arguments
  /// Of the passes': the call's, the gradient that comes in, and the result of a single operation.
  /// kAbsent where no pass needs the value.
  std::vector<InputType> arguments;
  std::vector<std::size_t> unchanged;  // inputs whose gradient is the one that comes in
  std::vector<Pass> passes;
  /// Whether the passes run operations one by one: those of one operation are fastest as they are.
  bool is_unfused = false;
};

/// Records a call: each output that gradients flow from has a node. `types` are the arguments'.
void record_fused(const std::shared_ptr<FusedState>& state,
                  std::span<const TensorOrScalar> arguments, std::span<const InputType> types,
                  std::span<const Tensor> results);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_AUTOGRAD_FUSED_H_

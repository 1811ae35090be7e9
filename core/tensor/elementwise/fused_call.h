// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Calls of fused functions.
#ifndef PATCHBAY_CORE_TENSOR_ELEMENTWISE_FUSED_CALL_H_
#define PATCHBAY_CORE_TENSOR_ELEMENTWISE_FUSED_CALL_H_

#include <memory>
#include <span>
#include <vector>

#include "core/tensor/fuse/fused_state.h"

namespace patchbay::tensor {

InputType type_of(const TensorOrScalar& argument);

/// Returns new tensors, and records the call if an argument needs a gradient. An argument whose
/// kind in `types` is kAbsent is not read: only its dtype is used.
std::vector<Tensor> call_fused(const std::shared_ptr<FusedState>& state,
                               std::span<const TensorOrScalar> arguments,
                               std::span<const InputType> types = {});
void call_fused_out(const std::shared_ptr<FusedState>& state, std::span<const Tensor> outputs,
                    std::span<const TensorOrScalar> arguments);
void call_fused_groups_out(const std::shared_ptr<FusedState>& state,
                           std::span<const FusedGroup> groups);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_ELEMENTWISE_FUSED_CALL_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Functions that users fuse.
#include <algorithm>
#include <numeric>
#include <utility>

#include "patchbay/fuse.h"

#include "core/base/error.h"
#include "core/runtime/kernel/kernel_cache.h"
#include "core/tensor/elementwise/fused_call.h"
#include "core/tensor/fuse/fused_state.h"

namespace patchbay {
namespace {

void check_size(const std::string& name, std::size_t num_inputs, std::size_t num_outputs) {
  if (num_inputs <= FusedFunction::kMaxInputs &&
      num_inputs + num_outputs <= runtime::kMaxFusedTensors)
    return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] the function has too many parameters: expected at most {} inputs and "
              "outputs, got {}. Split it.",
              name, runtime::kMaxFusedTensors,
              std::max(num_inputs, num_inputs + num_outputs));  // which may wrap around
}

}  // namespace

FusedFunction::FusedFunction(std::size_t num_inputs, const Body& body, std::string name) {
  name = base::one_line(name);
  if (!body) {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[{}] the function is empty. Pass the function of expressions that computes the outputs.",
        name);
  }
  check_size(name, num_inputs, /*num_outputs=*/1);
  const std::uint64_t function = tensor::next_function();
  std::vector<Expression> inputs;
  for (std::size_t i = 0; i < num_inputs; ++i) {
    inputs.push_back(tensor::input(function, static_cast<std::uint32_t>(i)));
  }
  std::vector<Expression> outputs = body(inputs);
  check_size(name, num_inputs, outputs.size());
  state_ = tensor::make_state(std::move(name), function, num_inputs, std::move(outputs));
}

std::size_t FusedFunction::num_inputs() const { return state_->num_inputs; }
std::size_t FusedFunction::num_outputs() const { return state_->outputs.size(); }
const std::string& FusedFunction::name() const { return state_->name; }

std::vector<Tensor> FusedFunction::call(std::span<const TensorOrScalar> arguments) const {
  return tensor::call_fused(state_, arguments);
}

void FusedFunction::call_out(std::span<const Tensor> outputs,
                             std::span<const TensorOrScalar> arguments) const {
  tensor::call_fused_out(state_, outputs, arguments);
}

void FusedFunction::call_groups_out(std::span<const FusedGroup> groups) const {
  tensor::call_fused_groups_out(state_, groups);
}

FusedFunction FusedFunction::gradients(const std::vector<std::size_t>& wanted) const {
  std::vector<std::size_t> inputs = wanted, outputs(state_->outputs.size());
  std::iota(outputs.begin(), outputs.end(), std::size_t{0});
  if (inputs.empty()) {
    inputs.resize(state_->num_inputs);
    std::iota(inputs.begin(), inputs.end(), std::size_t{0});
  }
  for (const std::size_t i : inputs) {
    if (i < state_->num_inputs) continue;
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] gradients: input {} does not exist: expected less than {}.", state_->name, i,
                state_->num_inputs);
  }
  return FusedFunction(
      tensor::gradient_state(*state_, outputs.size(), tensor::flows_of(*state_, outputs, inputs)));
}

}  // namespace patchbay

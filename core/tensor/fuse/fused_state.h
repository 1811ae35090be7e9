// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A traced function and the functions of its gradients.
#ifndef PATCHBAY_CORE_TENSOR_FUSE_FUSED_STATE_H_
#define PATCHBAY_CORE_TENSOR_FUSE_FUSED_STATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/fuse.h"

#include "core/runtime/kernel/kernel_cache.h"
#include "core/tensor/fuse/expression_program.h"

namespace patchbay::tensor {

struct GradientPlan;

/// More than users' functions may have: gradient functions also take incoming gradients.
inline constexpr std::size_t kMaxFusedInputs = 32;

/// A new number, which identifies a function and its parameters.
std::uint64_t next_function();

/// A traced function and what was prepared for its calls so far.
struct FusedState {
  /// Prepared for one device and for the kind and dtype of each argument.
  struct Variant {
    const runtime::DeviceState* device;
    std::vector<InputType> types;
    std::shared_ptr<const ExpressionProgram> program;
    std::weak_ptr<runtime::KernelState> kernel;  // owned by the device's cache
  };

  const std::string name;
  const std::uint64_t function;  // identifies the parameters
  const std::size_t num_inputs;
  const std::vector<Expression> outputs;
  /// Set for a single operation: its operator, and its result, which its gradient functions take as
  /// their last parameter.
  const Operator* const op = nullptr;
  const Known known;
  /// Whether it computes gradients: an input that it reads then has one, which may be 0.
  const bool is_gradient = false;

  std::mutex mutex;  // guards the members below
  std::vector<Variant> variants;
  std::vector<std::shared_ptr<const GradientPlan>> plans;
};

/// Errors: kInvalidArgument if outputs depend on anything but the function's parameters.
std::shared_ptr<FusedState> make_state(std::string name, std::uint64_t function,
                                       std::size_t num_inputs, std::vector<Expression> outputs,
                                       const Operator* op = nullptr, Known known = {},
                                       bool is_gradient = false);
/// The values that the function's expression may have.
inline std::size_t most_values_of(const FusedState& state) {
  return state.is_gradient ? runtime::kMaxGradientValues : runtime::kMaxFusedValues;
}
/// The number of the gradient functions' parameter for an operation's result; `grad` precedes it.
constexpr std::uint32_t saved_result(std::size_t num_inputs) {
  return static_cast<std::uint32_t>(num_inputs + 1);
}

/// The gradient of one input; null if none flows.
struct Flow {
  std::size_t input;
  Expression gradient;
};
/// The gradients of `inputs` from `outputs`, both given by number. Incoming gradients are
/// parameters after the function's own, in the order of `outputs`.
std::vector<Flow> flows_of(const FusedState& state, std::span<const std::size_t> outputs,
                           std::span<const std::size_t> inputs);
/// The function that computes them in the inputs' dtypes; 0 if none flows.
std::shared_ptr<FusedState> gradient_state(const FusedState& state, std::size_t num_outputs,
                                           std::span<const Flow> flows);

/// The name of an input in messages: a, b, c ... as in ops.h.
std::string_view input_name(std::size_t i);
std::string_view input_name(const FusedState& state, std::size_t i);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUSE_FUSED_STATE_H_

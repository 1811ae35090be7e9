// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/autograd/fused.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/runtime/kernel/fused_kernel.h"
#include "core/tensor/autograd/record.h"
#include "core/tensor/fuse/fused_call.h"

namespace patchbay::tensor {

namespace {

using Kind = InputType::Kind;

/// Makes a plan: which passes there are depends on what each reads, and so on the dtypes.
class Planner {
 public:
  Planner(const FusedState& state, GradientPlan& plan, DType result)
      : state_(state), plan_(plan), types_(plan.types), reads_(plan.types.size() + 1) {
    types_.push_back({Kind::kTensor, result});
  }

  void run() {
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < state_.num_inputs; ++i) {
      if ((plan_.wanted >> i & 1U) != 0) inputs.push_back(i);
    }
    std::vector<Flow> flows = flows_of(state_, {&plan_.output, 1}, inputs);
    std::erase_if(flows, [](const Flow& flow) { return flow.gradient.node() == nullptr; });
    if (!flows.empty()) add_passes(flows);
    plan_.arguments = plan_.types;
    for (std::size_t i = 0; i < plan_.types.size(); ++i) {
      InputType& type = plan_.arguments[i];
      if (!reads_[i] && type.kind != Kind::kNumber) type.kind = Kind::kAbsent;
    }
  }

 private:
  /// Half of the gradients at a time, if all are too many.
  void add_passes(std::span<const Flow> flows) {
    auto function = gradient_state(state_, 1, flows);
    const auto nothing = [](std::uint32_t i) { return std::string(input_name(i)); };
    const ExpressionProgram program =
        make_program(function->name, function->outputs, types_, nothing);
    if (program.tensors.size() + program.outputs.size() > runtime::kMaxFusedTensors) {
      if (flows.size() == 1) raise_too_many(program);
      add_passes(flows.first(flows.size() / 2));
      return add_passes(flows.subspan(flows.size() / 2));
    }
    for (const std::uint32_t input : program.tensors) reads_[input] = true;
    for (const auto& scalar : program.scalars) reads_[scalar.input] = true;
    GradientPlan::Pass pass{std::move(function), {}};
    for (const Flow& flow : flows) pass.inputs.push_back(flow.input);
    plan_.passes.push_back(std::move(pass));
  }

  [[noreturn]] void raise_too_many(const ExpressionProgram& program) const {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[{}] the function has too many parameters for its gradients: expected at most "
                   "{} tensors that the gradient of one is made of, got {}. Split it, or call it "
                   "inside a NoGrad scope.",
                   state_.name, runtime::kMaxFusedTensors - 1, program.tensors.size());
  }

  const FusedState& state_;
  GradientPlan& plan_;
  std::vector<InputType> types_;  // of the passes' arguments, as if all were there
  std::vector<bool> reads_;
};

std::shared_ptr<const GradientPlan> plan_for(FusedState& state, std::size_t output, DType result,
                                             std::uint32_t wanted,
                                             std::span<const InputType> types) {
  {
    const std::scoped_lock lock(state.mutex);
    const auto known = std::find_if(state.plans.begin(), state.plans.end(), [&](const auto& plan) {
      return plan->output == output && plan->wanted == wanted &&
             std::equal(types.begin(), types.end(), plan->types.begin(), plan->types.end());
    });
    if (known != state.plans.end()) return *known;
  }
  auto plan = std::make_shared<GradientPlan>(
      GradientPlan{output, wanted, {types.begin(), types.end()}, {}, {}});
  Planner(state, *plan, result).run();
  const std::scoped_lock lock(state.mutex);
  state.plans.push_back(plan);
  return plan;
}

/// What the step back keeps of the arguments.
struct FusedBackward {
  FusedBackward(std::shared_ptr<const GradientPlan> how, std::span<const FusedArgument> arguments)
      : plan(std::move(how)) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Tensor* const tensor = arguments[i].tensor();
      const bool is_read = tensor != nullptr && plan->arguments[i].kind != Kind::kAbsent;
      kept.push_back(is_read ? Saved(input_name(i), *tensor) : Saved());
      numbers.push_back(arguments[i].scalar());
      shapes.push_back(tensor != nullptr ? tensor->shape() : Shape());
    }
  }

  std::vector<Tensor> operator()(const Tensor& grad, const Node& node) const {
    std::vector<FusedArgument> arguments;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const Kind kind = plan->arguments[i].kind;
      const bool is_read = kind == Kind::kTensor || kind == Kind::kElement;
      arguments.push_back(is_read ? FusedArgument(kept[i].get(node)) : FusedArgument(numbers[i]));
    }
    arguments.emplace_back(grad);
    std::vector<Tensor> grads(kept.size());
    for (const GradientPlan::Pass& pass : plan->passes) {
      const std::vector<Tensor> results = call_fused(pass.function, arguments, plan->arguments);
      for (std::size_t k = 0; k < results.size(); ++k) {
        grads[pass.inputs[k]] = sum_to(results[k], shapes[pass.inputs[k]]);
      }
    }
    return grads;
  }

  std::shared_ptr<const GradientPlan> plan;
  std::vector<Saved> kept;
  std::vector<Scalar> numbers;
  std::vector<Shape> shapes;
};

}  // namespace

void record_fused(const std::shared_ptr<FusedState>& state,
                  std::span<const FusedArgument> arguments, std::span<const InputType> types,
                  std::span<const Tensor> results) {
  const Tensor none;
  std::vector<const Tensor*> inputs;
  std::uint32_t wanted = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Tensor* const tensor = arguments[i].tensor();
    inputs.push_back(tensor != nullptr ? tensor : &none);
    if (tensor != nullptr && needs_grad(*tensor)) wanted |= std::uint32_t{1} << i;
  }
  for (std::size_t o = 0; o < results.size(); ++o) {
    if (!is_floating(results[o].dtype())) continue;
    const auto plan = plan_for(*state, o, results[o].dtype(), wanted, types);
    if (plan->passes.empty()) continue;
    record(state->name.c_str(), results[o], inputs, FusedBackward(plan, arguments));
    results[o].impl()->grad_state->node->name_owner = state;
  }
}

}  // namespace patchbay::tensor

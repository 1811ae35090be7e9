// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0

#include "core/tensor/elementwise/fused.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/runtime/kernel/kernel_cache.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/elementwise/fused_call.h"
#include "core/tensor/elementwise/unfused.h"
#include "core/tensor/views/sum.h"

namespace patchbay::tensor {
namespace {

using Kind = InputType::Kind;

/// Makes a plan. The passes depend on what each reads, and so on the dtypes.
class Planner {
 public:
  Planner(const FusedState& state, GradientPlan& plan, DType result)
      : state_(state), plan_(plan), types_(plan.types) {
    types_.push_back({Kind::kTensor, result});
    if (state.op != nullptr) types_.push_back({Kind::kTensor, result});
    reads_.resize(types_.size());
  }

  void run() {
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < state_.num_inputs; ++i) {
      if ((plan_.wanted >> i & 1U) != 0) inputs.push_back(i);
    }
    std::vector<Flow> flows = flows_of(state_, {&plan_.output, 1}, inputs);
    std::erase_if(flows, [&](const Flow& flow) {
      if (flow.gradient.node() != nullptr) return false;
      if (state_.is_gradient) plan_.zeros.push_back(flow.input);
      return true;
    });
    if (!flows.empty()) set_unchanged_aside(flows);
    if (!flows.empty()) add_passes(flows);
    plan_.is_unfused =
        state_.op != nullptr && std::all_of(flows.begin(), flows.end(), [](const Flow& flow) {
          return is_one_operation(flow.gradient);
        });
    plan_.arguments = types_;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      InputType& type = plan_.arguments[i];
      if (!reads_[i] && i != grad() && type.kind != Kind::kNumber) type.kind = Kind::kAbsent;
    }
  }

 private:
  std::size_t grad() const { return state_.num_inputs; }  // the passes' parameter

  ExpressionProgram program_of(const FusedState& function) const {
    const auto nothing = [](std::uint32_t i) { return std::string(input_name(i)); };
    return make_program(function.name, function.outputs, types_, nothing, most_values_of(function));
  }

  /// An input whose gradient is the incoming one needs no pass.
  void set_unchanged_aside(std::vector<Flow>& flows) {
    const ExpressionProgram program = program_of(*gradient_state(state_, 1, flows));
    for (std::size_t k = flows.size(); k-- > 0;) {
      if (program.copies[k] != grad()) continue;
      plan_.unchanged.push_back(flows[k].input);
      flows.erase(flows.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }

  /// Halves the gradients if one pass can't compute all.
  void add_passes(std::span<const Flow> flows) {
    auto function = gradient_state(state_, 1, flows);
    const ExpressionProgram program = program_of(*function);
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
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] the function has too many parameters for its gradients: expected at most "
                "{} tensors that the gradient of one is made of, got {}. Split it, or call it "
                "inside a NoGrad scope.",
                state_.name, runtime::kMaxFusedTensors - 1, program.tensors.size());
  }

  const FusedState& state_;
  GradientPlan& plan_;
  std::vector<InputType> types_;  // of all arguments that passes may have
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
      GradientPlan{output, wanted, {types.begin(), types.end()}, {}, {}, {}, {}, false});
  Planner(state, *plan, result).run();
  const std::scoped_lock lock(state.mutex);
  state.plans.push_back(plan);
  return plan;
}

/// What the backward step keeps of a call.
struct FusedBackward {
  FusedBackward(std::shared_ptr<const GradientPlan> how, const FusedState& state,
                std::span<const TensorOrScalar> arguments, const Tensor& result)
      : plan(std::move(how)), is_operation(state.op != nullptr) {
    kept.reserve(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      kept.push_back({{}, arguments[i].scalar(), {}});
      if (!arguments[i].is_tensor()) continue;
      const Tensor& tensor = arguments[i].tensor();
      kept.back().shape = tensor.shape();
      if (is_read(i)) kept.back().tensor = Saved(input_name(state, i), tensor);
    }
    if (is_operation && is_read(saved_result(kept.size()))) out = Saved::result(result);
  }

  bool is_read(std::size_t i) const { return plan->arguments[i].kind != Kind::kAbsent; }

  std::vector<Tensor> operator()(const Tensor& grad, const Node& node) const {
    std::vector<Tensor> grads(kept.size());
    for (const std::size_t i : plan->unchanged) grads[i] = sum_to(grad, kept[i].shape);
    for (const std::size_t i : plan->zeros) {
      grads[i] = zeros(kept[i].shape, {node.inputs[i]->dtype, grad.device()});
    }
    if (plan->passes.empty()) return grads;
    const std::vector<TensorOrScalar> arguments = arguments_of(grad, node);
    for (const GradientPlan::Pass& pass : plan->passes) {
      run(pass, arguments, grad, grads);
      for (const std::size_t i : pass.inputs) grads[i] = sum_to(grads[i], kept[i].shape);
    }
    return grads;
  }

  void run(const GradientPlan::Pass& pass, std::span<const TensorOrScalar> arguments,
           const Tensor& grad, std::vector<Tensor>& grads) const {
    if (!plan->is_unfused && run_fused(pass, arguments, grads)) return;
    const std::vector<Expression>& gradients = pass.function->outputs;
    for (std::size_t k = 0; k < gradients.size(); ++k) {
      grads[pass.inputs[k]] = compute_unfused(gradients[k], arguments, grad);
    }
  }

  /// False on a device without fusion, where single operations have gradients too.
  bool run_fused(const GradientPlan::Pass& pass, std::span<const TensorOrScalar> arguments,
                 std::vector<Tensor>& grads) const {
    try {
      std::vector<Tensor> results = call_fused(pass.function, arguments, plan->arguments);
      for (std::size_t k = 0; k < results.size(); ++k) {
        grads[pass.inputs[k]] = std::move(results[k]);
      }
      return true;
    } catch (const Error& error) {
      if (!is_operation || error.code() != ErrorCode::kUnsupported) throw;
      return false;
    }
  }

  /// The arguments of the passes.
  std::vector<TensorOrScalar> arguments_of(const Tensor& grad, const Node& node) const {
    std::vector<TensorOrScalar> arguments;
    arguments.reserve(plan->arguments.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const bool is_tensor = is_read(i) && plan->arguments[i].kind != Kind::kNumber;
      arguments.push_back(is_tensor ? TensorOrScalar(kept[i].tensor.get(node)) : kept[i].number);
    }
    arguments.emplace_back(grad);
    if (!is_operation) return arguments;
    const bool has_out = is_read(arguments.size());
    arguments.push_back(has_out ? TensorOrScalar(out.get(node)) : TensorOrScalar(0));
    return arguments;
  }

  bool owns_tensors() const {
    for (std::size_t i = 0; i < plan->arguments.size(); ++i) {
      const bool is_gradient = i == kept.size();
      if (!is_gradient && is_read(i) && plan->arguments[i].kind != Kind::kNumber) return true;
    }
    return false;
  }

  struct Kept {
    Saved tensor;  // if its value is needed
    Scalar number;
    Shape shape;
  };
  std::shared_ptr<const GradientPlan> plan;
  bool is_operation;
  std::vector<Kept> kept;
  Saved out;  // only for a single operation
};

}  // namespace

void record_fused(const std::shared_ptr<FusedState>& state,
                  std::span<const TensorOrScalar> arguments, std::span<const InputType> types,
                  std::span<const Tensor> results) {
  std::vector<const Tensor*> inputs;
  std::uint32_t wanted = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    inputs.push_back(&arguments[i].tensor());
    if (!arguments[i].is_tensor()) continue;
    if (needs_grad(arguments[i].tensor())) wanted |= std::uint32_t{1} << i;
  }
  for (std::size_t o = 0; o < results.size(); ++o) {
    if (!is_floating(results[o].dtype())) continue;
    const auto plan = plan_for(*state, o, results[o].dtype(), wanted, types);
    if (plan->passes.empty() && plan->unchanged.empty() && plan->zeros.empty()) continue;
    record(state->name.c_str(), results[o], inputs,
           FusedBackward(plan, *state, arguments, results[o]));
    results[o].impl()->grad_state->node->name_owner = state;
  }
}

}  // namespace patchbay::tensor

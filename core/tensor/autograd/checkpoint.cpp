// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "patchbay/autograd.h"

#include "core/tensor/autograd/engine.h"
#include "core/tensor/dispatch/backward_scope.h"
#include "core/tensor/dispatch/draw_scope.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay {

namespace tensor {
namespace {

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

/// The backward step: runs the function again, recorded, and computes its gradients with respect to
/// leaves that replace the inputs.
struct Checkpoint {
  Function function;
  std::vector<Saved> inputs;
  std::vector<bool> wanted;
  std::shared_ptr<const DrawLog> draws;

  std::vector<Tensor> operator()(const Tensor& grad, const Node& node) const {
    const BackwardOptions options = BackwardScope::options();
    if (is_grad_enabled()) {
      raise(ErrorCode::kUnsupported,
            "[checkpoint] gradients of a checkpoint can't be recorded (create_graph). Call the "
            "function itself where second derivatives are wanted.");
    }
    const Recording recording(true);
    std::vector<Tensor> leaves;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      leaves.push_back(inputs[i].get(node).detach());
      if (wanted[i]) leaves.back().requires_grad_();
    }
    const Tensor result = run_again(leaves);
    if (!result.requires_grad()) return std::vector<Tensor>(leaves.size());
    if (!BackwardScope::goes_to_leaves()) return gradients_of(result, leaves, grad);
    result.backward(grad, options);  // which may retain what the function captures
    std::vector<Tensor> grads;
    for (const Tensor& leaf : leaves) grads.push_back(leaf.grad());
    return grads;
  }

 private:
  Tensor run_again(const std::vector<Tensor>& leaves) const {
    const RepeatedDraws repeated("checkpoint", draws);
    const Recomputing recomputing;
    return function(leaves);
  }

  /// For gradients() of an outer graph: adds to no leaf.
  std::vector<Tensor> gradients_of(const Tensor& result, const std::vector<Tensor>& leaves,
                                   const Tensor& grad) const {
    BackwardRun run{BackwardScope::operation()};
    run.roots.emplace_back(node_of("checkpoint", *result.impl()), grad);
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (!wanted[i]) continue;
      numbers.push_back(i);
      run.wanted.push_back(node_of("checkpoint", *leaves[i].impl()));
    }
    refuse_other_leaves(run);
    const std::vector<Tensor> found = run.run();
    std::vector<Tensor> grads(leaves.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) grads[numbers[i]] = found[i];
    return grads;
  }

  static void refuse_other_leaves(const BackwardRun& run) {
    std::unordered_set<const Node*> seen;
    std::vector<const Node*> stack{run.roots[0].first.get()};
    while (!stack.empty()) {
      const Node* const node = stack.back();
      stack.pop_back();
      if (node == nullptr || !seen.insert(node).second) continue;
      for (const auto& input : node->inputs) stack.push_back(input.get());
      const bool is_input = std::any_of(run.wanted.begin(), run.wanted.end(),
                                        [&](const auto& one) { return one.get() == node; });
      if (!node->leaf.defined() || is_input) continue;
      raise(ErrorCode::kUnsupported,
            "[gradients] the function of a checkpoint captures a tensor that requires gradients "
            "({}). Pass it to checkpoint as an input, or call backward.",
            describe({"captured", *node->leaf.impl()}));
    }
  }
};

}  // namespace
}  // namespace tensor

Tensor checkpoint(const std::function<Tensor(const std::vector<Tensor>&)>& function,
                  const std::vector<Tensor>& inputs) {
  if (!function) {
    base::raise(ErrorCode::kInvalidArgument,
                "[checkpoint] the function is empty. Pass the function that computes the result.");
  }
  if (inputs.empty()) {
    base::raise(ErrorCode::kInvalidArgument,
                "[checkpoint] the list of inputs is empty. Pass the tensors that the function "
                "computes from.");
  }
  tensor::Checkpoint back{function, {}, {}, nullptr};
  std::vector<const Tensor*> operands;
  bool is_recorded = false;
  for (const Tensor& input : inputs) {
    tensor::impl_of("checkpoint", input, "input");
    back.inputs.emplace_back("input", input);
    back.wanted.push_back(tensor::needs_grad(input));
    is_recorded = is_recorded || back.wanted.back();
    operands.push_back(&input);
  }
  const auto call = [&] {
    Tensor result = function(inputs);
    tensor::impl_of("checkpoint", result, "the function's result");
    return result;
  };
  // Captured tensors may still need gradients.
  if (!is_recorded) return call();
  Tensor result;
  {
    const tensor::Recording recording(tensor::Mode::kWatches);
    const tensor::LoggedDraws logged;
    result = call().detach();
    back.draws = logged.log();
  }
  if (!is_floating(result.dtype())) return result;
  tensor::record("checkpoint", result, operands, std::move(back));
  return result;
}

}  // namespace patchbay

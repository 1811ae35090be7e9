// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/autograd.h"

#include "core/tensor/autograd/record.h"
#include "core/tensor/operands.h"

namespace patchbay {

namespace tensor {
namespace {

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

/// What the step back does: the function once more, recorded, and its gradients with respect to
/// leaves that stand for the inputs.
struct Checkpoint {
  Function function;
  std::vector<Saved> inputs;
  std::vector<bool> wanted;

  std::vector<Tensor> operator()(const Tensor& grad, const Node& node) const {
    std::vector<Tensor> leaves;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      leaves.push_back(inputs[i].get(node).detach());
      if (wanted[i]) leaves.back().requires_grad_();
    }
    {
      const Recording recording(true);
      const Tensor result = function(leaves);
      if (result.requires_grad()) result.backward(grad);
    }
    std::vector<Tensor> grads;
    for (const Tensor& leaf : leaves) grads.push_back(leaf.grad());
    return grads;
  }
};

}  // namespace
}  // namespace tensor

Tensor checkpoint(const std::function<Tensor(const std::vector<Tensor>&)>& function,
                  const std::vector<Tensor>& inputs) {
  tensor::Checkpoint back{function, {}, {}};
  std::vector<const Tensor*> operands;
  bool is_recorded = false;
  for (const Tensor& input : inputs) {
    tensor::impl_of("checkpoint", input, "input");
    back.inputs.emplace_back("input", input);
    back.wanted.push_back(tensor::needs_grad(input));
    is_recorded = is_recorded || back.wanted.back();
    operands.push_back(&input);
  }
  Tensor result;
  {
    const tensor::Recording recording(false);
    result = function(inputs).detach();
  }
  if (is_recorded) tensor::record("checkpoint", result, operands, std::move(back));
  return result;
}

}  // namespace patchbay

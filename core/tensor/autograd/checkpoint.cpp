// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/autograd.h"
#include "patchbay/random.h"

#include "core/runtime/runtime_state.h"
#include "core/tensor/autograd/record.h"
#include "core/tensor/operands.h"

namespace patchbay {

namespace tensor {
namespace {

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

/// A generator put back to an earlier state, for a scope.
class Rewound {
 public:
  Rewound(const Generator& generator, Generator::State state)
      : generator_(generator), now_(generator.state()) {
    generator_.set_state(state);
  }
  ~Rewound() { generator_.set_state(now_); }
  Rewound(const Rewound&) = delete;
  Rewound& operator=(const Rewound&) = delete;

 private:
  const Generator& generator_;
  const Generator::State now_;
};

/// What the step back does: the function once more, recorded, and its gradients with respect to
/// leaves that stand for the inputs.
struct Checkpoint {
  Function function;
  std::vector<Saved> inputs;
  std::vector<bool> wanted;
  Generator generator;  // that of the runtime, and where it was
  Generator::State state;

  std::vector<Tensor> operator()(const Tensor& grad, const Node& node) const {
    if (is_grad_enabled()) {
      raise(ErrorCode::kUnsupported,
            "[checkpoint] gradients of a checkpoint can't be recorded: expected a backward without "
            "create_graph, got one with it. Call the function itself where second derivatives are "
            "wanted.");
    }
    std::vector<Tensor> leaves;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      leaves.push_back(inputs[i].get(node).detach());
      if (wanted[i]) leaves.back().requires_grad_();
    }
    {
      const Recording recording(true);
      const Rewound rewound(generator, state);
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
  if (!function) {
    tensor::raise(ErrorCode::kInvalidArgument,
                  "[checkpoint] no function: expected one to call, got an empty std::function. "
                  "Pass what computes the result.");
  }
  if (inputs.empty()) {
    tensor::raise(ErrorCode::kInvalidArgument,
                  "[checkpoint] no inputs: expected at least one tensor, got none. Pass what the "
                  "function computes from.");
  }
  const Generator generator(
      tensor::impl_of("checkpoint", inputs[0], "input").device().runtime.generator);
  tensor::Checkpoint back{function, {}, {}, generator, generator.state()};
  std::vector<const Tensor*> operands;
  bool is_recorded = false;
  for (const Tensor& input : inputs) {
    tensor::impl_of("checkpoint", input, "input");
    back.inputs.emplace_back("input", input);
    back.wanted.push_back(tensor::needs_grad(input));
    is_recorded = is_recorded || back.wanted.back();
    operands.push_back(&input);
  }
  // What the function captures may need gradients all the same.
  if (!is_recorded) return function(inputs);
  Tensor result;
  {
    const tensor::Recording recording(false);
    result = function(inputs);
    tensor::impl_of("checkpoint", result, "the function's result");
    result = result.detach();
  }
  tensor::record("checkpoint", result, operands, std::move(back));
  return result;
}

}  // namespace patchbay

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Functions of your own with a derivative of your own: docs/autograd.md#functions-of-your-own.
//
//   const CustomFunction twice(
//       "twice",
//       [](FunctionContext&, const std::vector<Tensor>& in) { return std::vector{in[0] * 2}; },
//       [](const FunctionContext&, const std::vector<Tensor>& grads) {
//         return std::vector{grads[0] * 2};
//       });
//   const Tensor y = twice({x})[0];
#ifndef PATCHBAY_CUSTOM_FUNCTION_H_
#define PATCHBAY_CUSTOM_FUNCTION_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "patchbay/autograd.h"
#include "patchbay/export.h"
#include "patchbay/handle.h"
#include "patchbay/tensor.h"

namespace patchbay {

namespace tensor {
struct CustomCall;
struct CustomFunctionState;
}  // namespace tensor

/// What one call's forward leaves for its backward. Valid while the function that gets it runs.
class PATCHBAY_API FunctionContext {
 public:
  /// In forward: keeps tensors for backward, undefined ones too. Inputs and results are kept
  /// without a cycle, and keep their part in the record, for second derivatives. A later write to
  /// one of them makes backward an error. Nothing is kept if the call is not recorded.
  void save_for_backward(std::vector<Tensor> tensors) { saved_ = std::move(tensors); }
  /// In backward: those tensors, in their order.
  const std::vector<Tensor>& saved_tensors() const { return saved_; }

  /// In backward: the options that it was called with.
  BackwardOptions backward_options() const { return options_; }

  /// In both: whether the gradient of this input is wanted. Backward may return an undefined tensor
  /// where it is not. False for a number that is no input's.
  bool needs_input_grad(std::size_t input) const {
    return input < needs_grad_.size() && needs_grad_[input];
  }

  /// In forward: no gradient flows back from these results. Results of integers and bools need not
  /// be marked.
  void mark_non_differentiable(std::vector<Tensor> results) {
    not_differentiable_ = std::move(results);
  }
  /// In forward: whether backward gets zeros (unless set) or an undefined tensor for a result that
  /// no gradient came to.
  void set_materialize_grads(bool zeros) { materializes_grads_ = zeros; }

 private:
  friend struct tensor::CustomCall;
  friend class CustomFunction;

  std::vector<Tensor> saved_, not_differentiable_;
  std::vector<bool> needs_grad_;
  BackwardOptions options_;
  bool materializes_grads_ = true;
};

/// A function of tensors that is recorded as one operation, with a backward step of its own: for a
/// kernel of your own, or for a better derivative than that of the operations (PyTorch's
/// torch.autograd.Function). Options are what forward and backward capture. Gradients flow to the
/// inputs only, not to tensors that forward captures. A shared handle; as thread-safe as its
/// functions.
class PATCHBAY_API CustomFunction {
 public:
  /// Computes the results; nothing in it is recorded, and kernels may be launched. It must not
  /// write to an input that requires gradients. An input may be undefined, for an operand that is
  /// left out.
  using Forward =
      std::function<std::vector<Tensor>(FunctionContext&, const std::vector<Tensor>& inputs)>;
  /// Gets one gradient for each result, undefined for one that is not differentiable, and must not
  /// write to them. Returns one for each input, of its shape, dtype and device; undefined where no
  /// gradient flows. In a backward with create_graph it is recorded.
  using Backward =
      std::function<std::vector<Tensor>(const FunctionContext&, const std::vector<Tensor>& grads)>;

  /// Errors, traces and the record use `name`. Errors: kInvalidArgument for an empty function.
  CustomFunction(std::string name, Forward forward, Backward backward);

  const std::string& name() const;

  /// Calls forward, and records the call if an input requires gradients and the thread records. A
  /// result has storage of its own or an input's. Errors: what forward throws; kInvalidArgument for
  /// no results or undefined ones, and for a write to an input that requires gradients. Errors of
  /// backward: kInvalidArgument for another number of gradients and for saved tensors that were
  /// overwritten; kShapeMismatch, kDtypeMismatch, kDeviceMismatch name function and input;
  /// kUnsupported with create_graph for a gradient that backward did not record.
  [[nodiscard]] std::vector<Tensor> operator()(const std::vector<Tensor>& inputs) const;

 private:
  runtime::ObjectHandle<const tensor::CustomFunctionState, "CustomFunction"> state_;
};

}  // namespace patchbay

#endif  // PATCHBAY_CUSTOM_FUNCTION_H_

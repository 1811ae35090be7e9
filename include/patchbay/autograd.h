// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Gradients. Operations on tensors that require them are recorded while they run, and backward()
// walks the record in reverse (reverse-mode differentiation). docs/autograd.md.
#ifndef PATCHBAY_AUTOGRAD_H_
#define PATCHBAY_AUTOGRAD_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// Whether operations of this thread are recorded: true outside of the scopes below.
PATCHBAY_API bool is_grad_enabled();

/// A scope of this thread that turns recording on or off; scopes nest, the innermost holds.
class PATCHBAY_API GradMode {
 public:
  explicit GradMode(bool enabled);
  ~GradMode();
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  std::uint8_t previous_;
};

/// In it nothing is recorded: for updates of parameters, and for evaluation.
class NoGrad : public GradMode {
 public:
  NoGrad() : GradMode(false) {}
};

/// As NoGrad, and nothing inside can turn recording on again: for programs that never train.
/// Errors inside: kInvalidArgument for GradMode(true) and requires_grad_().
class PATCHBAY_API InferenceMode {
 public:
  InferenceMode();
  ~InferenceMode();
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;

 private:
  std::uint8_t previous_grad_;
  bool previous_inference_;
};

/// The gradients of the sum of `outputs`, each times its gradient (1 where that is undefined or not
/// given; then the output has one element), with respect to `inputs`: undefined where an input has
/// no part in them. Touches no tensor's grad(). Queued. Errors as Tensor::backward.
[[nodiscard]] PATCHBAY_API std::vector<Tensor> gradients(
    const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
    const std::vector<Tensor>& output_gradients = {}, BackwardOptions options = {});

/// function(inputs), recorded as one operation that keeps the inputs alone: backward runs the
/// function again (Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016), from where
/// the runtime's default generator was the first time; it must give the same result. Gradients flow
/// to leaves that the function captures, too. Where no input requires any the function is called
/// and recorded as it stands, and nothing is saved. Errors: kInvalidArgument without inputs, a
/// function or its result; kUnsupported by a backward with create_graph.
[[nodiscard]] PATCHBAY_API Tensor
checkpoint(const std::function<Tensor(const std::vector<Tensor>&)>& function,
           const std::vector<Tensor>& inputs);

}  // namespace patchbay

#endif  // PATCHBAY_AUTOGRAD_H_

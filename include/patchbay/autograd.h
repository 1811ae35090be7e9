// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Gradients: docs/autograd.md. Operations on tensors that require gradients are recorded while they
// run, and backward() walks the record in reverse (reverse-mode differentiation).
#ifndef PATCHBAY_AUTOGRAD_H_
#define PATCHBAY_AUTOGRAD_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// Whether this thread records operations. True outside of the scopes below.
PATCHBAY_API bool is_grad_enabled();

/// Turns recording of this thread on or off until the scope ends. The innermost scope counts.
class PATCHBAY_API GradMode {
 public:
  explicit GradMode(bool enabled);
  ~GradMode();
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  std::uint8_t previous_;
};

/// Turns recording off: for updates of parameters, and for evaluation.
class NoGrad : public GradMode {
 public:
  NoGrad() : GradMode(false) {}
};

/// Turns recording off until the scope ends: for programs that never train. Errors inside:
/// kInvalidArgument for GradMode(true), requires_grad_() and a backward with create_graph.
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

/// Whether this thread is inside an InferenceMode scope.
PATCHBAY_API bool is_inference_mode();

/// The gradients with respect to `inputs` of the sum of all `outputs`, each times its gradient. An
/// output without a gradient must have one element; its gradient is 1. The result of an input that
/// no output depends on is undefined. Gradient hooks are called, also those of the inputs. Changes
/// no tensor's grad(). With create_graph each gradient can be differentiated again; where it is a
/// constant, its derivative is 0. Queued. Errors: as Tensor::backward.
[[nodiscard]] PATCHBAY_API std::vector<Tensor> gradients(
    const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
    const std::vector<Tensor>& output_gradients = {}, BackwardOptions options = {});

/// Called with a leaf.
using AccumulationHook = std::function<void(const Tensor& leaf)>;

/// Adds a function that backward() calls, on its thread, when the leaf's grad() has all that it
/// gets: as soon as that is known, while the rest of backward still runs, if the result was
/// recorded after the hook was added; else at the end. A checkpoint that captures the leaf may add
/// more, and the hook is then called again. Exceptions leave backward. The number removes the hook.
/// Errors: kInvalidArgument for an empty function, or a tensor that is no leaf with gradients.
PATCHBAY_API std::uint64_t add_accumulation_hook(const Tensor& leaf, AccumulationHook hook);
/// Removes the hook of that number from the leaf; does nothing if there is none.
PATCHBAY_API void remove_accumulation_hook(const Tensor& leaf, std::uint64_t number);

/// How often operations have overwritten the tensor's storage, all views counted. Writes through
/// data() or a host pointer are not seen.
PATCHBAY_API std::uint64_t num_overwrites(const Tensor& tensor);

/// Calls function(inputs) and records it as one operation that keeps only the inputs. backward runs
/// the function again, with the same draws of every generator that it draws from (Chen et al.,
/// Training Deep Nets with Sublinear Memory Cost, 2016); it must give the same result. Gradients
/// also flow to tensors that the function captures. If no input requires gradients, the function is
/// recorded as usual. Errors: kInvalidArgument for no inputs, no function or an undefined result;
/// kUnsupported in a backward with create_graph.
[[nodiscard]] PATCHBAY_API Tensor
checkpoint(const std::function<Tensor(const std::vector<Tensor>&)>& function,
           const std::vector<Tensor>& inputs);

}  // namespace patchbay

#endif  // PATCHBAY_AUTOGRAD_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The public functions on the gradient of a tensor.
#include <utility>

#include "patchbay/autograd.h"

#include "core/tensor/base/grad_state.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay {

using tensor::GradState;
using tensor::impl_of;
using tensor::TensorImpl;

namespace {

GradState& state_of(TensorImpl& impl) {
  if (impl.grad_state == nullptr) impl.grad_state = new GradState;
  return *impl.grad_state;
}

bool is_result(const TensorImpl& impl) {
  return impl.grad_state != nullptr && impl.grad_state->node != nullptr;
}

void check_gradient(const TensorImpl& impl, const TensorImpl& gradient) {
  const tensor::NamedOperand expected{"tensor", impl}, got{"gradient", gradient};
  tensor::check_same_device("set_grad", expected, got);
  tensor::check_same_dtype("set_grad", expected, got);
  if (impl.shape == gradient.shape) return;
  base::raise(ErrorCode::kShapeMismatch,
              "[set_grad] shapes differ: expected a gradient of shape {}, got {} ({}; {}). "
              "Reshape it.",
              to_string(impl.shape), to_string(gradient.shape), describe(expected), describe(got));
}

}  // namespace

bool Tensor::requires_grad() const {
  const TensorImpl& impl = impl_of("requires_grad", *this, "tensor");
  return impl.grad_state != nullptr && impl.grad_state->requires_grad;
}

const Tensor& Tensor::requires_grad_(bool value) const {
  TensorImpl& impl = impl_of("requires_grad_", *this, "tensor");
  if (is_result(impl)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[requires_grad_] the tensor is not a leaf: it is the result of {} (tensor: "
                "{}). Call it on tensor.detach().",
                impl.grad_state->node->name, tensor::describe(impl));
  }
  if (value) {
    tensor::check_no_inference("requires_grad_");
    tensor::check_dtype_allowed("requires_grad_", tensor::kFloats | tensor::kComplex,
                                {"tensor", impl});
  }
  if (value || impl.grad_state != nullptr) state_of(impl).requires_grad = value;
  return *this;
}

bool Tensor::is_leaf() const { return !is_result(impl_of("is_leaf", *this, "tensor")); }

Tensor Tensor::grad() const {
  const TensorImpl& impl = impl_of("grad", *this, "tensor");
  if (impl.grad_state == nullptr) return {};
  const std::scoped_lock lock(impl.grad_state->grad_mutex);
  return impl.grad_state->grad;
}

const Tensor& Tensor::set_grad(const Tensor& gradient) const {
  TensorImpl& impl = impl_of("set_grad", *this, "tensor");
  if (gradient.defined()) check_gradient(impl, *gradient.impl());
  GradState& state = state_of(impl);
  Tensor replaced = gradient;  // the old gradient is destroyed after the lock
  const std::scoped_lock lock(state.grad_mutex);
  std::swap(state.grad, replaced);
  return *this;
}

Tensor Tensor::detach() const {
  const TensorImpl& impl = impl_of("detach", *this, "tensor");
  return tensor::make_view(impl, impl.offset_bytes, impl.shape, impl.strides);
}

namespace {

/// A leaf's hooks are in its state, because its node comes and goes.
tensor::Hooks& hooks_of(GradState& state) {
  return state.node != nullptr ? *state.node->hooks : state.hooks;
}

[[noreturn]] void raise_no_gradient(const char* operation, const TensorImpl& impl) {
  base::raise(
      ErrorCode::kInvalidArgument,
      "[{}] the tensor does not require gradients (tensor: {}). Call requires_grad_() first.",
      operation, tensor::describe(impl));
}

}  // namespace

std::uint64_t Tensor::add_gradient_hook(GradientHook hook) const {
  TensorImpl& impl = impl_of("add_gradient_hook", *this, "tensor");
  if (!hook) {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[add_gradient_hook] the hook is empty ({}). Use remove_gradient_hook to take one away.",
        tensor::describe({"tensor", impl}));
  }
  if (impl.grad_state == nullptr || !impl.grad_state->requires_grad) {
    raise_no_gradient("add_gradient_hook", impl);
  }
  return hooks_of(*impl.grad_state).add(std::move(hook));
}

void Tensor::remove_gradient_hook(std::uint64_t number) const {
  TensorImpl& impl = impl_of("remove_gradient_hook", *this, "tensor");
  if (impl.grad_state == nullptr) raise_no_gradient("remove_gradient_hook", impl);
  hooks_of(*impl.grad_state).remove(number);
}

namespace {

[[noreturn]] void raise_not_accumulated(const char* operation, const TensorImpl& impl) {
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] no gradient is accumulated here: expected a leaf that requires gradients, "
              "got {} (leaf: {}). Use add_gradient_hook for results.",
              operation, is_result(impl) ? "a result" : "a tensor that requires none",
              tensor::describe(impl));
}

}  // namespace

std::uint64_t add_accumulation_hook(const Tensor& leaf, AccumulationHook hook) {
  TensorImpl& impl = impl_of("add_accumulation_hook", leaf, "leaf");
  if (impl.grad_state == nullptr || !impl.grad_state->requires_grad || is_result(impl)) {
    raise_not_accumulated("add_accumulation_hook", impl);
  }
  if (!hook) {
    base::raise(ErrorCode::kInvalidArgument,
                "[add_accumulation_hook] the hook is empty (leaf: {}). Use "
                "remove_accumulation_hook to take one away.",
                tensor::describe(impl));
  }
  return impl.grad_state->accumulation_hooks.add(std::move(hook));
}

void remove_accumulation_hook(const Tensor& leaf, std::uint64_t number) {
  TensorImpl& impl = impl_of("remove_accumulation_hook", leaf, "leaf");
  if (impl.grad_state == nullptr || is_result(impl)) {
    raise_not_accumulated("remove_accumulation_hook", impl);
  }
  impl.grad_state->accumulation_hooks.remove(number);
}

std::uint64_t num_overwrites(const Tensor& tensor) {
  return impl_of("num_overwrites", tensor, "tensor")
      .buffer()
      .version.load(std::memory_order_relaxed);
}

}  // namespace patchbay

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/record.h"

#include <atomic>

#include "patchbay/ops.h"

#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"

namespace patchbay::tensor {

namespace {

/// Rises over all threads, so that a node's number is larger than those of its inputs.
std::uint64_t next_number() {
  constinit static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::uint64_t version_of(const TensorImpl& impl) {
  return impl.buffer().version.load(std::memory_order_relaxed);
}

/// A handle that the result's node may own: the same elements, without a reference to the node.
Tensor without_state(const TensorImpl& impl) {
  return make_view(impl, impl.offset_bytes, impl.shape, impl.strides);
}

}  // namespace

Saved::Saved(std::string_view name, const Tensor& tensor)
    : name_(name), tensor_(tensor), version_(version_of(*tensor.impl())) {}

Saved Saved::result(const Tensor& tensor) {
  Saved saved("out", without_state(*tensor.impl()));
  saved.is_result_ = true;
  return saved;
}

Tensor Saved::get(const Node& node) const {
  const TensorImpl& impl = *tensor_.impl();
  if (const std::uint64_t writes = version_of(impl) - version_; writes != 0) {
    raise(ErrorCode::kInvalidArgument,
          "[backward] {0} of {1} was overwritten: expected it as it was when {1} read it, got {2} "
          "later write{3} to its storage ({4}). Clone it before it is overwritten.",
          name_, node.name, writes, writes == 1 ? "" : "s", describe({name_, impl}));
  }
  if (!is_result_) return tensor_;
  Tensor result = without_state(impl);
  auto state = std::make_unique<GradState>();
  state->node = const_cast<Node&>(node).shared_from_this();
  state->requires_grad = true;
  state->version = version_;
  result.impl()->grad_state = state.release();
  return result;
}

void record(const char* operation, const Tensor& result, std::span<const Tensor* const> inputs,
            Backward backward) {
  TensorImpl& impl = *result.impl();
  auto node = std::make_shared<Node>(operation, next_number(), impl);
  for (const Tensor* input : inputs) {
    const bool flows = input->defined() && needs_grad(*input);
    node->inputs.push_back(flows ? node_of(operation, *input->impl()) : nullptr);
  }
  node->backward = std::move(backward);
  auto state = std::make_unique<GradState>();
  state->node = std::move(node);
  state->requires_grad = true;
  state->version = version_of(impl);
  impl.grad_state = state.release();
}

Tensor sum_to(const Tensor& grad, const Shape& shape) {
  if (grad.shape() == shape) return grad;
  const int missing = grad.rank() - shape.rank();
  Axes axes;
  for (int i = 0; i < grad.rank(); ++i) {
    if (i < missing || (shape[i - missing] == 1 && grad.shape()[i] != 1)) axes.dims.push_back(i);
  }
  return sum(grad, axes, /*keep=*/true).view(shape);
}

}  // namespace patchbay::tensor

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/base/grad_state.h"

#include <utility>

#include "core/tensor/base/named.h"

namespace patchbay::tensor {

void destroy(GradState* state) noexcept { delete state; }

/// Takes over a dying node's members, to destroy them one by one: a chain of a million nodes, each
/// owning the next, would overflow the stack. Allocated with the node, because there may be no
/// memory when it dies.
struct Node::Remains {
  std::vector<std::shared_ptr<Node>> inputs;
  Backward backward;  // owns tensors, and so nodes
  JointBackward joint_backward;
  std::unique_ptr<Remains> next;
};
constinit thread_local Node::Remains* Node::left = nullptr;

Node::Node(const char* operation, std::uint64_t order, const TensorImpl& result)
    : name(operation),
      number(order),
      shape(result.shape),
      dtype(result.dtype),
      hooks(order != 0 ? std::make_unique<Hooks>() : nullptr),
      remains_(order != 0 ? std::make_unique<Remains>() : nullptr) {}

Node::~Node() {
  if (remains_ == nullptr) return;
  remains_->inputs = std::move(inputs);
  remains_->backward = std::move(backward);
  remains_->joint_backward = std::move(joint_backward);
  if (left != nullptr) {  // a destructor further up the stack destroys it
    remains_->next = std::move(left->next);
    left->next = std::move(remains_);
    return;
  }
  Remains first;
  left = &first;
  first.next = std::move(remains_);
  while (first.next != nullptr) {
    const std::unique_ptr<Remains> going = std::move(first.next);
    first.next = std::move(going->next);
    going->backward.clear();
    going->joint_backward = nullptr;
    going->inputs.clear();
  }
  left = nullptr;
}

Tensor handle_of(const TensorImpl& impl) {
  auto& shared = const_cast<TensorImpl&>(impl);
  shared.retain();
  return Tensor(&shared);
}

void check_not_overwritten(const char* operation, const TensorImpl& tensor) {
  const GradState& state = *tensor.grad_state;
  if (state.node == nullptr) return;
  const std::uint64_t now = tensor.buffer().version.load(std::memory_order_relaxed);
  if (now == state.version) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] an operand was overwritten since {} made it: {} later write{} to its storage ({}). "
        "Clone it before it is overwritten, or detach() it.",
        operation, state.node->name, now - state.version, now - state.version == 1 ? "" : "s",
        describe({"operand", tensor}));
}

std::shared_ptr<Node> node_of(const char* operation, const TensorImpl& tensor) {
  check_not_overwritten(operation, tensor);
  GradState& state = *tensor.grad_state;
  if (state.node != nullptr) return state.node;
  const std::lock_guard<std::mutex> lock(state.mutex);
  std::shared_ptr<Node> node = state.accumulator.lock();
  if (node == nullptr) {
    node = std::make_shared<Node>("leaf", 0, tensor);
    node->leaf = handle_of(tensor);
    node->leads_to_hook = !state.accumulation_hooks.is_empty();
    state.accumulator = node;
  }
  return node;
}

}  // namespace patchbay::tensor

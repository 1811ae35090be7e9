// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/record.h"

#include <algorithm>
#include <atomic>

#include "core/tensor/dispatch/backward_scope.h"
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

/// Makes the tensor a result of the node.
void attach(TensorImpl& impl, std::shared_ptr<Node> node, std::uint64_t version) {
  auto state = std::make_unique<GradState>();
  state->node = std::move(node);
  state->requires_grad = true;
  state->version = version;
  impl.grad_state = state.release();
}

std::vector<std::shared_ptr<Node>> nodes_of(const char* operation,
                                            std::span<const Tensor* const> inputs) {
  std::vector<std::shared_ptr<Node>> nodes;
  for (const Tensor* input : inputs) {
    const bool flows = input->defined() && needs_grad(*input);
    nodes.push_back(flows ? node_of(operation, *input->impl()) : nullptr);
  }
  return nodes;
}

void connect(Node& node, std::vector<std::shared_ptr<Node>> inputs) {
  node.inputs = std::move(inputs);
  node.leads_to_hook = std::ranges::any_of(
      node.inputs, [](const auto& input) { return input != nullptr && input->leads_to_hook; });
}

std::shared_ptr<Node> make_part(const std::shared_ptr<Node>& whole, std::size_t number,
                                const TensorImpl& result) {
  auto node = std::make_shared<Node>(whole->name, next_number(), result);
  node->name_owner = whole->name_owner;
  node->part = number;
  connect(*node, {whole});
  return node;
}

/// The node of a result. The result may be gone, and its node with it: a new one does as well.
std::shared_ptr<Node> part_of(const std::shared_ptr<Node>& whole, std::size_t number,
                              const TensorImpl& result) {
  std::shared_ptr<Node> part = whole->parts[number].lock();
  return part != nullptr ? part : make_part(whole, number, result);
}

}  // namespace

Saved::Saved(std::string_view name, const Tensor& tensor)
    : name_(name), tensor_(tensor), version_(version_of(*tensor.impl())) {}

Saved Saved::result(const Tensor& tensor, std::optional<std::size_t> part, std::string_view name) {
  Saved saved(name, without_state(*tensor.impl()));
  saved.is_result_ = true;
  saved.part_ = part;
  return saved;
}

Tensor Saved::get(const Node& node) const {
  const TensorImpl& impl = *tensor_.impl();
  if (const std::uint64_t writes = version_of(impl) - version_; writes != 0) {
    raise(ErrorCode::kInvalidArgument,
          "[{5}] {0} of {1} was overwritten: expected it as it was when {1} read it, got {2} "
          "later write{3} to its storage ({4}). Clone it before it is overwritten.",
          name_, node.name, writes, writes == 1 ? "" : "s", describe({name_, impl}),
          BackwardScope::operation());
  }
  if (!is_result_) return tensor_;
  Tensor result = without_state(impl);
  const std::shared_ptr<Node> whole = const_cast<Node&>(node).shared_from_this();
  attach(*result.impl(), part_ ? part_of(whole, *part_, impl) : whole, version_);
  return result;
}

void record(const char* operation, const Tensor& result, std::span<const Tensor* const> inputs,
            Backward backward) {
  TensorImpl& impl = *result.impl();
  auto node = std::make_shared<Node>(operation, next_number(), impl);
  connect(*node, nodes_of(operation, inputs));
  node->backward = std::move(backward);
  attach(impl, std::move(node), version_of(impl));
}

void record_joint(const std::shared_ptr<const std::string>& operation,
                  std::span<const Tensor> results, const std::vector<bool>& takes_gradient,
                  std::span<const Tensor* const> inputs, JointBackward backward) {
  const auto whole = std::make_shared<Node>(operation->c_str(), next_number(), *results[0].impl());
  whole->name_owner = operation;
  connect(*whole, nodes_of(whole->name, inputs));
  whole->joint_backward = std::move(backward);
  whole->parts.resize(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!takes_gradient[i]) continue;
    TensorImpl& impl = *results[i].impl();
    std::shared_ptr<Node> part = make_part(whole, i, impl);
    whole->parts[i] = part;
    attach(impl, std::move(part), version_of(impl));
  }
}

void accept_writes(const Tensor& result) {
  TensorImpl& impl = *result.impl();
  if (impl.grad_state != nullptr) impl.grad_state->version = version_of(impl);
}

}  // namespace patchbay::tensor

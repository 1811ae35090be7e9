// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The gradient state of a tensor, and the nodes of the recorded graph.
#ifndef PATCHBAY_CORE_TENSOR_BASE_GRAD_STATE_H_
#define PATCHBAY_CORE_TENSOR_BASE_GRAD_STATE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "patchbay/autograd.h"
#include "patchbay/tensor.h"

#include "core/output/delivery.h"
#include "core/tensor/base/tensor_impl.h"

namespace patchbay::tensor {

struct Node;

/// A step that says itself that it owns no tensors, though it owns other things.
template <class Step>
struct WithoutTensors : Step {
  static constexpr bool owns_tensors() { return false; }
};
template <class Step>
WithoutTensors(Step) -> WithoutTensors<Step>;

/// Whether a step owns tensors, which a walk frees. One with nothing to destroy owns none.
template <class Step>
bool owns_tensors(const Step& step) {
  if constexpr (requires { step.owns_tensors(); }) {
    return step.owns_tensors();
  } else {
    return !std::is_trivially_destructible_v<Step>;
  }
}

/// Maps the gradient of an operation's result to the gradients of its inputs, in order; undefined
/// if none flows. `node` is the operation's own. Made of a step that returns them, or of one that
/// returns the gradient of the only input.
class Backward {
 public:
  Backward() = default;
  template <class Step>
  requires(!std::is_same_v<Step, Backward>) Backward(Step step)
      : frees_(tensor::owns_tensors(step)) {  // NOLINT
    if constexpr (std::is_invocable_r_v<Tensor, Step&, const Tensor&, const Node&>) {
      run_ = [step = std::move(step)](const Tensor& grad, const Node& node) {
        return std::vector<Tensor>{step(grad, node)};
      };
    } else {
      run_ = std::move(step);
    }
  }

  explicit operator bool() const { return bool(run_); }
  std::vector<Tensor> operator()(const Tensor& grad, const Node& node) const {
    return run_(grad, node);
  }
  /// Releases the tensors that the step owns. One that owns none can be run again.
  void release_tensors() {
    if (frees_) run_ = nullptr;
  }
  void clear() { run_ = nullptr; }

 private:
  std::function<std::vector<Tensor>(const Tensor& grad, const Node& node)> run_;
  bool frees_ = false;
};
/// Backward of an operation with several results: one gradient for each of them, undefined if none
/// came.
using JointBackward =
    std::function<std::vector<Tensor>(std::vector<Tensor> grads, const Node& node)>;

/// Functions in the order in which they were added.
template <class Hook>
class HookList {
 public:
  std::uint64_t add(Hook hook) {
    const std::lock_guard<std::mutex> lock(mutex_);
    hooks_.emplace(next_, std::move(hook));
    return next_++;
  }
  void remove(std::uint64_t id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    hooks_.erase(id);
  }
  bool is_empty() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return hooks_.empty();
  }
  /// Copied: a hook may remove itself.
  std::vector<Hook> all() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Hook> hooks;
    for (const auto& [id, hook] : hooks_) hooks.push_back(hook);
    return hooks;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, Hook> hooks_;
  std::uint64_t next_ = 0;
};

/// A tensor's hooks on its gradient.
using Hooks = HookList<GradientHook>;

/// One recorded operation with one result, or a leaf, which collects gradients. Nodes own those of
/// their inputs, so the graph lives as long as its results. An operation with several results is a
/// node with `joint_backward`, and one node for each result, a part, whose one input is that node.
struct Node : std::enable_shared_from_this<Node> {
  Node(const char* operation, std::uint64_t order, const TensorImpl& result);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const char* const name;
  std::shared_ptr<const void> name_owner;  // for a name that is not a literal
  const std::uint64_t number;              // larger than its inputs' numbers; 0 for leaves
  const Shape shape;                       // of the result, and so of its gradient
  const DType dtype;
  const std::unique_ptr<Hooks> hooks;         // null for leaves: their state has them
  std::vector<std::shared_ptr<Node>> inputs;  // null: needs no gradient
  Backward backward;                          // empty for leaves, and once its tensors are freed
  JointBackward joint_backward;               // in its place, for several results
  std::vector<std::weak_ptr<Node>> parts;     // of several results; expired: not differentiable
  std::optional<std::size_t> part;            // the number of the result, for a part
  /// Set by the run that freed it: whether that run failed or has not ended.
  std::shared_ptr<const std::atomic<bool>> freed_by_failure;
  Tensor leaf;  // for a leaf: the tensor that has the gradient
  /// Whether a leaf below (or this one) had accumulation hooks when the node was made.
  bool leads_to_hook = false;

 private:
  struct Remains;
  static constinit thread_local Remains* left;  // by dying nodes
  std::unique_ptr<Remains> remains_;            // null for a leaf
};

/// The gradient state of a tensor. Most tensors have none.
struct GradState {
  std::shared_ptr<Node> node;  // that made the tensor; null for a leaf
  bool requires_grad = false;
  std::uint64_t version = 0;  // the storage's when `node` made the tensor
  // The members below are for leaves.
  Hooks hooks;
  HookList<AccumulationHook> accumulation_hooks;
  std::mutex mutex;                    // guards the next one
  std::weak_ptr<Node> accumulator;     // created when first needed
  output::NoDeliveryMutex grad_mutex;  // guards the next one, while a sum is computed and recorded
  Tensor grad;
};

/// A new handle to the tensor.
Tensor handle_of(const TensorImpl& impl);
/// Errors: as node_of, for an operand of `operation` that will be recorded. To be called by
/// operations made of others, whose names the message would have.
void check_not_overwritten(const char* operation, const TensorImpl& tensor);
/// The node that a tensor's gradient flows to. Errors: kInvalidArgument if the elements were
/// overwritten since the node made them; the message names `operation`.
std::shared_ptr<Node> node_of(const char* operation, const TensorImpl& tensor);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_BASE_GRAD_STATE_H_

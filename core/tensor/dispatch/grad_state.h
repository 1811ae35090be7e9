// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a tensor knows of gradients, and the nodes of the recorded graph.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_GRAD_STATE_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_GRAD_STATE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "patchbay/tensor.h"

#include "core/tensor/base/tensor_impl.h"

namespace patchbay::tensor {

struct Node;

/// From the gradient of an operation's result to those of its inputs, in their order. Undefined:
/// none flows there. `node` is the operation's own.
using Backward = std::function<std::vector<Tensor>(const Tensor& grad, const Node& node)>;

/// The hooks of one tensor; each may replace the gradient.
class Hooks {
 public:
  std::uint64_t add(GradientHook hook);
  void remove(std::uint64_t id);
  Tensor run(Tensor grad);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, GradientHook> hooks_;
  std::uint64_t next_ = 0;
};

/// One recorded operation with one result, or a leaf, where gradients gather. Edges point to what
/// made the inputs, so the graph lives as long as its results do.
struct Node : std::enable_shared_from_this<Node> {
  Node(const char* operation, std::uint64_t order, const TensorImpl& result);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const char* const name;
  std::shared_ptr<const void> name_owner;  // of a name that is no literal
  const std::uint64_t number;              // larger than those of its inputs; 0 for leaves
  const Shape shape;                       // of the result, and so of its gradient
  const DType dtype;
  const std::unique_ptr<Hooks> hooks;         // null for a leaf, whose state has them
  std::vector<std::shared_ptr<Node>> inputs;  // null: needs no gradient
  Backward backward;                          // empty for a leaf, and once it is freed
  /// Of the run that freed it: whether that has failed, or not ended.
  std::shared_ptr<const std::atomic<bool>> freed_by_failure;
  Tensor leaf;  // where the gradient goes, for a leaf

 private:
  struct Remains;
  static constinit thread_local Remains* left;  // by nodes that are going
  std::unique_ptr<Remains> remains_;            // null for a leaf, which leaves nothing
};

/// Most tensors have none.
struct GradState {
  std::shared_ptr<Node> node;  // what made the tensor; null for a leaf
  bool requires_grad = false;
  std::uint64_t version = 0;  // of the storage when `node` made the tensor
  // The rest is for leaves.
  Hooks hooks;
  std::mutex mutex;                 // of the next two
  std::weak_ptr<Node> accumulator;  // made when first needed
  Tensor grad;
};

/// One more handle.
Tensor handle_of(const TensorImpl& impl);
/// The node that a tensor's gradient flows to. Errors: kInvalidArgument if the elements were
/// overwritten since the node made them; `operation` wants it.
std::shared_ptr<Node> node_of(const char* operation, const TensorImpl& tensor);
/// The leaf's gradient, plus this one.
void accumulate(const Node& leaf, Tensor grad, bool keeps_graph);

/// Runs the graph backwards from `roots` with their gradients. With `wanted`: only towards these
/// nodes, whose gradients are the result (undefined where none came); else into the leaves.
struct BackwardRun {
  std::vector<std::pair<std::shared_ptr<Node>, Tensor>> roots;
  std::vector<std::shared_ptr<Node>> wanted;
  bool retains_graph = false;  // the graph may be run again
  bool creates_graph = false;  // the gradients can be derived themselves

  std::vector<Tensor> run() const;
  /// Whether what this thread runs, if it runs any, adds to the leaves' gradients.
  static bool goes_to_leaves();
};

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_GRAD_STATE_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/autograd/engine.h"

// Runs the graph backwards. Numbers rise from inputs to results, so the pending node with the
// largest number has its whole gradient: no edges are counted, but those to leaves with hooks,
// which are told before the rest of the graph has run.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "patchbay/autograd.h"
#include "patchbay/ops.h"

#include "core/runtime/stream/recorder.h"
#include "core/tensor/base/overlap.h"
#include "core/tensor/dispatch/backward_scope.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay {

namespace tensor {

namespace {

/// Whether nothing else holds the tensor, so that it may be added to. The application still has the
/// memory that it lent.
bool is_own(const Tensor& grad) {
  const TensorImpl& impl = *grad.impl();
  const runtime::BufferState& buffer = impl.buffer();
  const runtime::Recorder* const recorder = runtime::current_recorder();
  // A recording holds the buffers that were made in it.
  const std::uint32_t expected = recorder != nullptr && recorder->owns(buffer) ? 2 : 1;
  return impl.references.load(std::memory_order_relaxed) == 1 &&
         buffer.references.load(std::memory_order_relaxed) == expected && !buffer.released &&
         impl.is_contiguous;
}
Tensor own(Tensor&& grad) { return is_own(grad) ? std::move(grad) : grad.clone(); }

/// Whether `grad` can be added to `sum` in place. A program may have set any tensor as a gradient.
bool takes_in_place(const Tensor& sum, const Tensor& grad) {
  const TensorImpl& impl = *sum.impl();
  return !impl.buffer().is_read_only && !repeats_elements(impl) &&
         overlap(impl, *grad.impl()) != Overlap::kPartial;
}

/// Adds to the leaf's gradient.
void accumulate(GradState& leaf, Tensor grad, bool keeps_graph) {
  const std::scoped_lock lock(leaf.grad_mutex);
  if (!leaf.grad.defined()) {
    leaf.grad = own(std::move(grad));
  } else if (keeps_graph || !takes_in_place(leaf.grad, grad)) {
    leaf.grad = add(leaf.grad, grad);
  } else {
    add_out(leaf.grad, leaf.grad, grad);
  }
}

/// Orders by number, then by address: all leaves have number 0.
struct Later {
  bool operator()(const Node* a, const Node* b) const {
    return a->number != b->number ? a->number > b->number : std::less<>()(a, b);
  }
};
/// A node and what came to it so far: a gradient, or those of several results.
struct Arrived {
  std::shared_ptr<Node> node;
  Tensor grad;
  std::vector<Tensor> parts;
};
/// Nodes that received gradients, the next one first.
using Pending = std::map<const Node*, Arrived, Later>;

/// In place where nothing else holds one of the two.
void add_to(Tensor& sum, Tensor grad) {
  if (!sum.defined()) {
    sum = std::move(grad);
  } else if (!is_recording() && is_own(sum)) {
    add_out(sum, sum, grad);
  } else if (!is_recording() && is_own(grad)) {
    add_out(grad, sum, grad);
    sum = std::move(grad);
  } else {
    sum = add(sum, grad);
  }
}

void flow(Pending& pending, const std::shared_ptr<Node>& to, Tensor grad) {
  Arrived& there = pending[to.get()];
  there.node = to;
  add_to(there.grad, std::move(grad));
}

/// Hands the gradient of one of several results to their operation.
void flow_part(Pending& pending, const Node& part, Tensor grad) {
  Arrived& there = pending[part.inputs[0].get()];
  there.node = part.inputs[0];
  there.parts.resize(there.node->parts.size());
  add_to(there.parts[*part.part], std::move(grad));
}

/// The nodes from which one of `wanted` can be reached.
std::unordered_set<const Node*> leading_to(const BackwardRun& run) {
  std::map<const Node*, bool, Later> seen;  // later ones first
  std::vector<const Node*> stack;
  for (const auto& [root, grad] : run.roots) stack.push_back(root.get());
  while (!stack.empty()) {
    const Node* const node = stack.back();
    stack.pop_back();
    if (!seen.emplace(node, false).second) continue;
    for (const auto& input : node->inputs) {
      if (input != nullptr) stack.push_back(input.get());
    }
  }
  std::unordered_set<const Node*> leading;
  for (const auto& wanted : run.wanted) leading.insert(wanted.get());
  for (auto it = seen.rbegin(); it != seen.rend(); ++it) {  // inputs before results
    const auto& inputs = it->first->inputs;
    const bool leads = std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) {
      return leading.contains(input.get());
    });
    if (leads) leading.insert(it->first);
  }
  return leading;
}

[[noreturn, gnu::cold]] void raise_freed(const char* operation, const Node& node) {
  if (node.freed_by_failure != nullptr && node.freed_by_failure->load(std::memory_order_relaxed)) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] a part of the graph was freed by a backward that failed: {} has lost its operands. "
          "Compute the result again.",
          operation, node.name);
  }
  raise(ErrorCode::kInvalidArgument,
        "[{}] the graph was freed: {} is run for the second time. Run the first backward with "
        "retain_graph.",
        operation, node.name);
}

/// True until the run ends without error.
using RunFailed = std::shared_ptr<std::atomic<bool>>;

/// Passes a node's gradient on to its inputs. Frees the node's tensors unless `frees` is null: one
/// that keeps none may be on the way of another run, as a view of an operand is.
void step(const char* operation, Pending& pending, Arrived& arrived, const RunFailed& frees) {
  Node& node = *arrived.node;
  if (node.part) return flow_part(pending, node, std::move(arrived.grad));
  if (!node.backward && !node.joint_backward) raise_freed(operation, node);
  std::vector<Tensor> grads = node.joint_backward
                                  ? node.joint_backward(std::move(arrived.parts), node)
                                  : node.backward(arrived.grad, node);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == nullptr || !grads[i].defined()) continue;
    if (grads[i].shape() != node.inputs[i]->shape || grads[i].dtype() != node.inputs[i]->dtype) {
      raise(ErrorCode::kInternal,
            "[{}] {} gave a gradient that does not fit its input: expected {} {}, got {}.",
            operation, node.name, patchbay::to_string(node.inputs[i]->dtype),
            to_string(node.inputs[i]->shape), describe(*grads[i].impl()));
    }
    flow(pending, node.inputs[i], std::move(grads[i]));
  }
  if (frees == nullptr) return;
  node.freed_by_failure = frees;
  node.backward.release_tensors();
  node.joint_backward = nullptr;
}

void check_alike(const TensorImpl& grad, const TensorImpl& replaced) {
  const bool is_alike = &grad.device() == &replaced.device() && grad.dtype == replaced.dtype &&
                        grad.shape == replaced.shape;
  if (is_alike) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] a gradient hook gave another kind of tensor: expected {}, got {}. Return one "
        "like the gradient that it saw, or an undefined one.",
        BackwardScope::operation(), describe(grad), describe(replaced));
}

/// Each hook may replace the gradient.
Tensor run_hooks(Hooks& hooks, Tensor grad) {
  for (const GradientHook& hook : hooks.all()) {
    Tensor replaced = hook(grad);
    if (!replaced.defined()) continue;
    check_alike(*grad.impl(), *replaced.impl());
    grad = std::move(replaced);
  }
  return grad;
}

/// Adds to the leaf's gradient and calls what waits for it.
void fill(const Node& leaf, Tensor grad, bool keeps_graph) {
  GradState& state = *leaf.leaf.impl()->grad_state;
  grad = run_hooks(state.hooks, std::move(grad));
  if (!state.requires_grad) return;  // turned off after the recording
  accumulate(state, std::move(grad), keeps_graph);
  for (const AccumulationHook& hook : state.accumulation_hooks.all()) hook(leaf.leaf);
}

/// The leaves with accumulation hooks, and how many gradients each may still get.
class AwaitedLeaves {
 public:
  explicit AwaitedLeaves(const BackwardRun& run) {
    std::unordered_set<const Node*> seen;
    std::vector<const Node*> stack;
    for (const auto& [root, grad] : run.roots) stack.push_back(root.get());
    while (!stack.empty()) {
      const Node* const node = stack.back();
      stack.pop_back();
      if (!node->leads_to_hook || !seen.insert(node).second) continue;
      for (const auto& input : node->inputs) {
        if (input == nullptr || !input->leads_to_hook) continue;
        if (input->leaf.defined()) ++missing_[input.get()];
        stack.push_back(input.get());
      }
    }
  }

  /// Fills the leaves that were waiting only for the gradients of `node`.
  void fill_complete(Pending& pending, const Node& node, bool keeps_graph) {
    if (missing_.empty()) return;
    for (const auto& input : node.inputs) {
      const auto leaf = missing_.find(input.get());
      if (leaf == missing_.end() || --leaf->second != 0) continue;
      const auto received = pending.extract(input.get());
      if (!received.empty()) fill(*input, std::move(received.mapped().grad), keeps_graph);
    }
  }

 private:
  std::unordered_map<const Node*, std::size_t> missing_;
};

}  // namespace

std::vector<Tensor> BackwardRun::run() const {
  const Recording recording(creates_graph);
  const bool retains = retains_graph || creates_graph;
  const BackwardScope scope(operation, {retains, creates_graph}, wanted.empty());
  const RunFailed failed = retains ? nullptr : std::make_shared<std::atomic<bool>>(true);
  const std::unordered_set<const Node*> leading =
      wanted.empty() ? std::unordered_set<const Node*>() : leading_to(*this);
  std::optional<AwaitedLeaves> awaited;
  if (wanted.empty()) awaited.emplace(*this);
  std::vector<Tensor> result(wanted.size());
  Pending pending;
  for (const auto& [root, grad] : roots) flow(pending, root, grad);
  while (!pending.empty()) {
    Arrived arrived = std::move(pending.begin()->second);
    pending.erase(pending.begin());
    const std::shared_ptr<Node>& node = arrived.node;
    if (!wanted.empty() && !leading.contains(node.get())) continue;
    // A leaf that is filled runs its hooks then.
    Hooks* const hooks = node->leaf.defined() && !wanted.empty()
                             ? &node->leaf.impl()->grad_state->hooks
                             : node->hooks.get();
    if (hooks != nullptr) arrived.grad = run_hooks(*hooks, std::move(arrived.grad));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == node) result[i] = arrived.grad;
    }
    if (node->leaf.defined()) {
      if (wanted.empty()) fill(*node, std::move(arrived.grad), creates_graph);
    } else {
      const bool has_inputs_wanted =
          wanted.empty() || std::any_of(node->inputs.begin(), node->inputs.end(),
                                        [&](const auto& to) { return leading.contains(to.get()); });
      if (has_inputs_wanted) step(operation, pending, arrived, failed);
      if (awaited) awaited->fill_complete(pending, *node, creates_graph);
    }
  }
  if (failed != nullptr) failed->store(false, std::memory_order_relaxed);
  return result;
}

namespace {

/// The gradient of `input`, such that it can be differentiated again. A constant is recorded as a
/// function of its input, with the derivative 0.
Tensor differentiable(Tensor grad, const Tensor& input) {
  if (grad.requires_grad()) return grad;
  const TensorImpl& impl = *grad.impl();
  const Recording recording(true);
  const Tensor result = make_view(impl, impl.offset_bytes, impl.shape, impl.strides);
  record("gradient", result, input,
         [](const Tensor& incoming, const Node&) { return zeros_like(incoming); });
  return result;
}

/// The gradient of an output, checked, or 1.
Tensor output_gradient(const char* operation, const TensorImpl& output, const Tensor& given) {
  if (!given.defined() && is_complex(output.dtype)) {
    raise(ErrorCode::kDtypeMismatch,
          "[{}] no gradient for complex numbers: they have no order, so nothing can be minimized "
          "(output: {}). Take abs or real, or pass a gradient.",
          operation, describe(output));
  }
  if (!given.defined()) {
    if (output.num_elements == 1) return ones_like(handle_of(output));
    raise(ErrorCode::kShapeMismatch,
          "[{}] an output of more than one element needs a gradient of shape {} (output: {}). Give "
          "one, or reduce the output first, for example with sum().",
          operation, to_string(output.shape), describe(output));
  }
  const NamedOperand expected{"output", output}, got{"gradient", *given.impl()};
  check_same_device(operation, expected, got);
  check_same_dtype(operation, expected, got);
  if (output.shape != given.impl()->shape) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] shapes differ: expected a gradient of shape {}, got {} ({}; {}). Reshape it.",
          operation, to_string(output.shape), to_string(given.shape()), describe(expected),
          describe(got));
  }
  return given;
}

void check_options(const char* operation, BackwardOptions options) {
  if (!options.create_graph || !is_inference_mode()) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] create_graph records nothing inside an InferenceMode scope. End the scope first, or "
        "use NoGrad in its place.",
        operation);
}

void check_requires(const char* operation, const char* name, const TensorImpl& impl) {
  if (impl.grad_state != nullptr && impl.grad_state->requires_grad) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] {} requires no gradients ({}). Call requires_grad_() on what it is made of, outside "
        "of NoGrad.",
        operation, name, describe({name, impl}));
}

}  // namespace
}  // namespace tensor

void Tensor::backward() const { backward(Tensor()); }

void Tensor::backward(const Tensor& gradient, BackwardOptions options) const {
  const tensor::TensorImpl& impl = tensor::impl_of("backward", *this, "tensor");
  tensor::check_options("backward", options);
  tensor::check_requires("backward", "tensor", impl);
  tensor::BackwardRun run{"backward"};
  run.roots.emplace_back(tensor::node_of("backward", impl),
                         tensor::output_gradient("backward", impl, gradient));
  run.retains_graph = options.retain_graph;
  run.creates_graph = options.create_graph;
  run.run();
}

std::vector<Tensor> gradients(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                              const std::vector<Tensor>& output_gradients,
                              BackwardOptions options) {
  if (!output_gradients.empty() && output_gradients.size() != outputs.size()) {
    base::raise(ErrorCode::kInvalidArgument,
                "[gradients] wrong number of gradients: expected {}, one for each output, got "
                "{}. Leave them out for ones.",
                outputs.size(), output_gradients.size());
  }
  tensor::check_options("gradients", options);
  tensor::BackwardRun run{"gradients"};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const tensor::TensorImpl& impl = tensor::impl_of("gradients", outputs[i], "output");
    tensor::check_requires("gradients", "output", impl);
    run.roots.emplace_back(
        tensor::node_of("gradients", impl),
        tensor::output_gradient("gradients", impl,
                                output_gradients.empty() ? Tensor() : output_gradients[i]));
  }
  for (const Tensor& input : inputs) {
    const tensor::TensorImpl& impl = tensor::impl_of("gradients", input, "input");
    tensor::check_requires("gradients", "input", impl);
    run.wanted.push_back(tensor::node_of("gradients", impl));
  }
  if (inputs.empty()) return {};
  run.retains_graph = options.retain_graph;
  run.creates_graph = options.create_graph;
  std::vector<Tensor> result = run.run();
  if (!options.create_graph) return result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i].defined()) result[i] = tensor::differentiable(std::move(result[i]), inputs[i]);
  }
  return result;
}

}  // namespace patchbay

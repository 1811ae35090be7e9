// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What operations call so that gradients flow through them.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_RECORD_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_RECORD_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor/base/grad_state.h"
#include "core/tensor/dispatch/operands.h"

namespace patchbay::tensor {

/// This thread's mode. kWatches: records nothing, but tensors that require gradients may not be
/// overwritten, because the same operations will be recorded later.
enum class Mode : std::uint8_t { kRecords = 0, kWatches, kOff };
Mode recording_mode();
inline bool is_recording() { return recording_mode() == Mode::kRecords; }

/// Whether operations on the tensor are recorded now.
inline bool needs_grad(const TensorImpl& tensor) {
  return tensor.grad_state != nullptr && tensor.grad_state->requires_grad && is_recording();
}
/// Whether the tensor may not be overwritten now.
inline bool is_watched(const TensorImpl& tensor) {
  return tensor.grad_state != nullptr && tensor.grad_state->requires_grad &&
         recording_mode() != Mode::kOff;
}
inline bool needs_grad(const Tensor& tensor) { return needs_grad(*tensor.impl()); }

/// An operand that a backward step needs. get() throws if its elements were overwritten.
class Saved {
 public:
  Saved() = default;
  Saved(std::string_view name, const Tensor& tensor);
  /// Saves the operation's own result, without the node owning its own tensor. `part`: its number,
  /// for an operation that is recorded with several results.
  static Saved result(const Tensor& tensor, std::optional<std::size_t> part = {},
                      std::string_view name = "out");

  Tensor get(const Node& node) const;

 private:
  std::string_view name_;
  Tensor tensor_;
  std::uint64_t version_ = 0;
  bool is_result_ = false;
  std::optional<std::size_t> part_;
};

/// Makes the new tensor `result` the result of a recorded operation. Call it only if an input needs
/// a gradient. Pass all inputs, in the order of the gradients; undefined ones stand for numbers.
void record(const char* operation, const Tensor& result, std::span<const Tensor* const> inputs,
            Backward backward);
inline void record(const char* operation, const Tensor& result,
                   std::initializer_list<const Tensor*> inputs, Backward backward) {
  record(operation, result, std::span(inputs.begin(), inputs.size()), std::move(backward));
}
/// For one input.
inline void record(const char* operation, const Tensor& result, const Tensor& input,
                   Backward backward) {
  record(operation, result, {&input}, std::move(backward));
}
/// The tensor behind the handle to an operand of an operation that is made of others. Errors:
/// kInvalidArgument if it is undefined, or was overwritten since a recorded operation made it.
inline TensorImpl& operand_of(const char* operation, const Tensor& tensor,
                              std::string_view name = "a") {
  TensorImpl& impl = impl_of(operation, tensor, name);
  if (needs_grad(impl)) [[unlikely]]
    check_not_overwritten(operation, impl);
  return impl;
}

/// One operation with several results. `takes_gradient` says which of them gradients flow back
/// from; at least one. The node keeps `operation`.
void record_joint(const std::shared_ptr<const std::string>& operation,
                  std::span<const Tensor> results, const std::vector<bool>& takes_gradient,
                  std::span<const Tensor* const> inputs, JointBackward backward);

/// To be called after a write to a new result that its record does not keep and that nothing else
/// has seen: a step that follows may take it as it is now.
void accept_writes(const Tensor& result);

/// Sets whether this thread records while the object lives, also in an InferenceMode scope.
class Recording {
 public:
  explicit Recording(bool enabled);
  explicit Recording(Mode enabled);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  const Mode previous_;
  const bool previous_inference_;
};
/// Lives while this thread runs a function again for its gradients. ThreadContext carries it. What
/// the function leaves behind was left by its first run: running statistics stay as they are.
class Recomputing {
 public:
  Recomputing();
  ~Recomputing();
  Recomputing(const Recomputing&) = delete;
  Recomputing& operator=(const Recomputing&) = delete;

 private:
  const bool previous_;
};
bool is_recomputing();

/// Errors: kInvalidArgument inside an InferenceMode scope.
void check_no_inference(const char* operation);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_RECORD_H_

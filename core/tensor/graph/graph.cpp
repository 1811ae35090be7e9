// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Public graphs: tensors in place of buffers.
#include "patchbay/graph.h"

#include <utility>

#include "core/runtime/device/context.h"
#include "core/runtime/graph/graph_recorder.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/tensor/base/overlap.h"
#include "core/tensor/dispatch/operands.h"

namespace patchbay {

namespace {

using base::raise;
using tensor::describe;
using tensor::NamedOperand;
using tensor::TensorImpl;

void check_alike(const NamedOperand& recorded, const NamedOperand& replacement) {
  tensor::check_same_device("bind", recorded, replacement);
  tensor::check_same_dtype("bind", recorded, replacement);
  const TensorImpl &a = recorded.tensor, &b = replacement.tensor;
  if (a.shape == b.shape && a.strides == b.strides) return;
  raise(ErrorCode::kShapeMismatch,
        "[bind] the tensors are not alike: expected shape {} and strides {}, got {} and {} ({}; "
        "{}). Record the graph again for other shapes.",
        to_string(a.shape), to_string(a.strides), to_string(b.shape), to_string(b.strides),
        describe(recorded), describe(replacement));
}

}  // namespace

void Graph::replay() const {
  runtime::check_no_callback("replay");
  runtime::check_not_recording("replay");
  state_->replay();
}

void Graph::bind(const Tensor& recorded, const Tensor& replacement) const {
  const NamedOperand from{"recorded", tensor::impl_of("bind", recorded, "recorded")};
  const NamedOperand to{"replacement", tensor::impl_of("bind", replacement, "replacement")};
  check_alike(from, to);
  const runtime::GraphBuffer* known = state_->find(from.tensor.buffer());
  if (known == nullptr) {
    raise(ErrorCode::kInvalidArgument,
          "[bind] the graph does not use this tensor: expected one that the recorded function read "
          "or wrote, and that was made outside or is still held, got {}. Pass the tensor that the "
          "function used.",
          describe(from));
  }
  const auto span = static_cast<std::uint64_t>(tensor::span_bytes(from.tensor));
  const runtime::GraphRange bytes{state_->index_of(*known), from.tensor.offset_bytes,
                                  from.tensor.is_empty() ? 0 : span};
  if (!state_->is_within(bytes)) {
    raise(ErrorCode::kInvalidArgument,
          "[bind] the graph uses elements beside this tensor's: expected one that covers all that "
          "it uses of the storage, got {}. Bind the tensor that the view was made from.",
          describe(from));
  }
  if (known->is_written) {
    to.tensor.buffer().check_writable("bind", "replacement");
    tensor::refuse_gradient("bind", to);
  }
  if (!state_->bind(bytes, replacement.buffer(), to.tensor.offset_bytes)) {
    raise(ErrorCode::kInvalidArgument,
          "[bind] the graph uses the replacement's storage elsewhere, and writes it: expected "
          "storage of its own, got {}. Bind a clone.",
          describe(to));
  }
}

void Graph::set(const Scalar& slot, const Scalar& value) const {
  if (slot.slot() != 0 && state_->set(slot.slot(), value)) return;
  raise(ErrorCode::kInvalidArgument,
        "[set] {}: expected what GraphRecording::slot gave when this graph was recorded, got {}. "
        "Pass that.",
        slot.slot() == 0 ? "a number is no slot" : "the graph does not use this slot",
        slot.to_string());
}

std::size_t Graph::num_operations() const { return state_->num_operations(); }
std::size_t Graph::memory_bytes() const { return state_->arena_bytes(); }

Scalar GraphRecording::slot(const Scalar& value) {
  return Scalar::with_slot(value, recorder_.add_slot());
}

namespace {

template <class Function>
void check_function(const Function& function) {
  if (function) return;
  raise(ErrorCode::kInvalidArgument,
        "[record_graph] the function is empty. Pass the function that queues the operations.");
}

}  // namespace

Graph record_graph(const std::function<void(GraphRecording&)>& function) {
  check_function(function);
  runtime::GraphRecorder recorder;
  GraphRecording recording(recorder);
  function(recording);
  return Graph(recorder.finish());
}

Graph record_graph(const std::function<void()>& function) {
  check_function(function);
  return record_graph([&](GraphRecording&) { function(); });
}

bool is_recording_graph() { return runtime::current_recorder() != nullptr; }

bool is_made_in_recording(const Tensor& tensor) {
  const runtime::Recorder* const recorder = runtime::find_recorder(/*also_paused=*/true);
  const TensorImpl& impl = tensor::impl_of("is_made_in_recording", tensor, "tensor");
  return recorder != nullptr && recorder->owns(impl.buffer());
}

RecordingPause::RecordingPause() : is_paused_(is_recording_graph()) {
  if (!is_paused_) return;
  previous_ = runtime::exchange_streams(std::make_shared<runtime::ScopedStream>(
      runtime::ScopedStream{nullptr, runtime::context().streams, nullptr, /*is_pause=*/true}));
}
RecordingPause::~RecordingPause() {
  if (is_paused_) runtime::exchange_streams(std::move(previous_));
}

}  // namespace patchbay

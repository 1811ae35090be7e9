// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Graphs: lists of operations that are recorded once and replayed many times. docs/graphs.md.
#ifndef PATCHBAY_GRAPH_H_
#define PATCHBAY_GRAPH_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "patchbay/export.h"
#include "patchbay/handle.h"
#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

namespace patchbay {

namespace runtime {
class GraphRecorder;
class GraphState;
struct ScopedStream;
}  // namespace runtime

/// The operations of a function, with their kernels, memory and order. A replay makes no checks,
/// allocates nothing and runs no code of the program. Tensors that come from outside the function,
/// or that are still held outside, keep their storage: a replay reads and writes their current
/// elements. All other tensors of the function share memory of the graph. Random operations draw
/// from their generators, as the function would. A shared handle. Thread-safe; replays of one graph
/// run one after the other.
class PATCHBAY_API Graph {
 public:
  /// Queues the operations on this thread's stream of each device. Errors: those of the operations;
  /// kInvalidArgument during a recording.
  void replay() const;
  /// Later replays use `replacement` in place of `recorded`, which is an input or a held result.
  /// Device, shape, strides and dtype are equal. Binding `recorded` to itself undoes it. Errors:
  /// kDeviceMismatch, kShapeMismatch, kDtypeMismatch; kInvalidArgument if the graph does not use
  /// `recorded`, uses other elements of its storage too, or writes elements that both share.
  void bind(const Tensor& recorded, const Tensor& replacement) const;
  /// Sets the value of a slot for later replays. Errors: kInvalidArgument for a slot of another
  /// graph, or a value that the dtype of a tensor that it meets can't hold.
  void set(const Scalar& slot, const Scalar& value) const;

  /// The number of launches and copies of one replay.
  std::size_t num_operations() const;
  /// The size of the memory that the graph owns.
  std::size_t memory_bytes() const;

 private:
  friend class GraphRecording;
  friend PATCHBAY_API Graph
  record_graph(const std::function<void(class GraphRecording&)>& function);
  explicit Graph(std::shared_ptr<runtime::GraphState> state) : state_(std::move(state)) {}

  runtime::ObjectHandle<runtime::GraphState, "Graph"> state_;
};

/// What a recorded function may use.
class PATCHBAY_API GraphRecording {
 public:
  /// A number that Graph::set may change. A binary elementwise operation, a fused function or a
  /// fill of the recording may take it; any other use is an error.
  [[nodiscard]] Scalar slot(const Scalar& value);

 private:
  friend PATCHBAY_API Graph record_graph(const std::function<void(GraphRecording&)>& function);
  explicit GraphRecording(runtime::GraphRecorder& recorder) : recorder_(recorder) {}
  GraphRecording(const GraphRecording&) = delete;  // it goes with the recording
  GraphRecording& operator=(const GraphRecording&) = delete;

  runtime::GraphRecorder& recorder_;
};

/// Calls the function once, on this thread, and records its operations without running them: its
/// results have no values before the first replay. Errors: those of the function; kInvalidArgument
/// if it reads a value on the host, copies from host memory, waits for a device, launches a kernel
/// on a stream (Kernel::launch), or records or replays a graph.
[[nodiscard]] PATCHBAY_API Graph record_graph(const std::function<void(GraphRecording&)>& function);
[[nodiscard]] PATCHBAY_API Graph record_graph(const std::function<void()>& function);

/// Whether this thread records a graph, and no RecordingPause lives.
[[nodiscard]] PATCHBAY_API bool is_recording_graph();
/// Whether the tensor's storage was made in the recording of this thread, so that it has no
/// elements before the first replay. Also true within a RecordingPause. Errors: kInvalidArgument
/// for an undefined tensor.
[[nodiscard]] PATCHBAY_API bool is_made_in_recording(const Tensor& tensor);

/// While it lives, this thread's operations run at once, though a graph is being recorded: for
/// state that must exist before the first replay. They must not read what the recording computes.
/// Does nothing outside of a recording.
class PATCHBAY_API RecordingPause {
 public:
  RecordingPause();
  ~RecordingPause();
  RecordingPause(const RecordingPause&) = delete;
  RecordingPause& operator=(const RecordingPause&) = delete;

 private:
  std::shared_ptr<const runtime::ScopedStream> previous_;
  bool is_paused_;
};

}  // namespace patchbay

#endif  // PATCHBAY_GRAPH_H_

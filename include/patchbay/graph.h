// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Graphs: a list of operations, recorded once and queued as often as is wanted. docs/graphs.md.
#ifndef PATCHBAY_GRAPH_H_
#define PATCHBAY_GRAPH_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "patchbay/export.h"
#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

namespace patchbay {

namespace runtime {
class GraphRecorder;
class GraphState;
}  // namespace runtime

/// The operations of a function, with their kernels, memory and order: a replay makes no checks,
/// allocates nothing and runs no code of the program's. A shared handle. Tensors that the function
/// read or wrote and that came from outside, or are still held outside, keep their storage: a
/// replay reads what is then in them, and writes their elements again. All else that the function
/// made lies in memory of the graph's own, reused as soon as its last reader is past.
/// Random operations draw from their generators, as the function would. Thread-safe; one replay at
/// a time.
class PATCHBAY_API Graph {
 public:
  /// Queues the operations, on this thread's stream of each device; complete on return where the
  /// devices' streams are. Errors: those of its operations; kInvalidArgument while recording.
  void replay() const;
  /// From the next replay on, `replacement` stands wherever `recorded` stood: an input, or a result
  /// that was held. Both are of one device, shape, strides and dtype. Binding `recorded` to itself
  /// undoes it. Errors: kDeviceMismatch, kShapeMismatch, kDtypeMismatch; kInvalidArgument if the
  /// graph does not use `recorded`, uses elements of its storage beside it, or writes what both
  /// share.
  void bind(const Tensor& recorded, const Tensor& replacement) const;
  /// Sets a slot for the replays to come. Errors: kInvalidArgument if it is no slot of this graph,
  /// or if the value does not fit the dtype of a tensor that it meets.
  void set(const Scalar& slot, const Scalar& value) const;

  /// Launches and copies of one replay.
  std::size_t num_operations() const;
  /// Of the memory that the graph owns.
  std::size_t memory_bytes() const;

 private:
  friend class GraphRecording;
  friend PATCHBAY_API Graph
  record_graph(const std::function<void(class GraphRecording&)>& function);
  explicit Graph(std::shared_ptr<runtime::GraphState> state) : state_(std::move(state)) {}

  std::shared_ptr<runtime::GraphState> state_;
};

/// What the function that is recorded may ask for.
class PATCHBAY_API GraphRecording {
 public:
  /// A number that Graph::set may change: it may stand where a binary elementwise operation, a
  /// fused function or a fill takes one. Anywhere else it is an error.
  [[nodiscard]] Scalar slot(const Scalar& value);

 private:
  friend PATCHBAY_API Graph record_graph(const std::function<void(GraphRecording&)>& function);
  explicit GraphRecording(runtime::GraphRecorder& recorder) : recorder_(recorder) {}
  GraphRecording(const GraphRecording&) = delete;  // it goes with the recording
  GraphRecording& operator=(const GraphRecording&) = delete;

  runtime::GraphRecorder& recorder_;
};

/// Calls the function once, on this thread. Its operations are noted and not done: what it makes
/// has no values before the first replay. Errors: what the function throws; kInvalidArgument where
/// it reads a value on the host, gives host memory to a device, waits for a device, launches a
/// kernel on a stream by hand, or records or replays a graph.
[[nodiscard]] PATCHBAY_API Graph record_graph(const std::function<void(GraphRecording&)>& function);
[[nodiscard]] PATCHBAY_API Graph record_graph(const std::function<void()>& function);

}  // namespace patchbay

#endif  // PATCHBAY_GRAPH_H_

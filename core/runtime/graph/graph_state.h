// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A recorded list of launches and copies, whose buffers and slots may change between runs.
#ifndef PATCHBAY_CORE_RUNTIME_GRAPH_GRAPH_STATE_H_
#define PATCHBAY_CORE_RUNTIME_GRAPH_GRAPH_STATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "patchbay/buffer.h"
#include "patchbay/scalar.h"

#include "core/output/delivery.h"
#include "core/runtime/copy/copy.h"
#include "core/runtime/device/generator_state.h"
#include "core/runtime/graph/driver_graph.h"
#include "core/runtime/kernel/launch.h"
#include "core/runtime/kernel/module_state.h"

namespace patchbay::runtime {

/// A buffer that the list uses. Temporaries lie in an arena once the recording has ended.
struct GraphBuffer {
  Buffer recorded;         // keeps the recorded identity; none for a temporary
  Buffer current;          // what the list uses now
  std::int64_t shift = 0;  // from the recorded offset to that in `current`, in bytes
  bool is_made_here = false, is_read = false, is_written = false;
  std::size_t first_step = 0, last_step = 0;

  /// Whether the list computes it from nothing and others may hold it.
  bool is_result() const { return is_made_here && is_written && recorded; }
};

/// Bytes of a GraphBuffer.
struct GraphRange {
  std::uint32_t buffer;
  std::uint64_t offset_bytes, size_bytes;
};

/// An argument that the program may set before a run.
struct GraphSlot {
  std::uint32_t slot, argument;
};

/// An argument that is a generator's seed, or its offset plus `distance` at the start of a run.
struct GraphDraw {
  std::uint32_t argument, generator;
  bool is_seed;
  std::uint64_t distance;
};

struct GraphGenerator {
  std::shared_ptr<GeneratorState> state;
  GeneratorPosition met;  // at its first use in the recording
  std::uint64_t offset;   // after the operations recorded so far
};

class GraphState {
 public:
  GraphState() = default;
  GraphState(const GraphState&) = delete;
  GraphState& operator=(const GraphState&) = delete;

  /// Queues the list on this thread's streams. Errors: those of its operations, with the number of
  /// operations already queued.
  void replay();
  /// Uses `replacement` in place of these bytes from now on. False, with nothing changed, if the
  /// graph also uses the replacement elsewhere and either use writes.
  bool bind(const GraphRange& bytes, const Buffer& replacement, std::uint64_t offset_bytes);
  /// Null if the list does not use the buffer.
  const GraphBuffer* find(const BufferState& recorded) const;
  std::uint32_t index_of(const GraphBuffer& buffer) const;
  /// Whether these bytes include all that the list uses of the buffer.
  bool is_within(const GraphRange& bytes) const;
  /// False if there is no such slot.
  bool set(std::uint32_t slot, const Scalar& value);

  std::size_t num_operations() const { return steps_.size() - looks_.size(); }
  std::size_t arena_bytes() const { return arena_bytes_; }

 private:
  friend class GraphRecorder;

  struct Launch {
    KernelState* kernel;  // the device keeps it alive
    std::uint32_t first_argument, num_arguments, first_use, num_uses;
    patchbay_memory workspace;
    std::string name;
  };
  struct GridLaunch {
    std::shared_ptr<const ModuleKernelState> kernel;
    GridAxes groups, group_size;
    std::uint32_t first_argument, num_arguments, first_use, num_uses;
  };
  struct Copy {
    GraphRange to, from;
    const char* name;  // a literal: the transfer thread may need it after the graph's end
  };
  struct LookStep {
    GraphRange range;
    Look look;
    const char* name;  // a literal
  };
  struct KernelCopy {
    DeviceState* device;
    std::size_t size_bytes;
  };
  /// An operation, as an index into one of the lists.
  struct Step {
    enum Kind { kLaunch, kGridLaunch, kCopy, kLook } kind;
    std::uint32_t index;
  };
  struct RecordedUse {
    std::uint32_t buffer;
    bool writes, reads;
  };
  /// An argument whose buffer the list only reads.
  struct Constant {
    patchbay_argument* argument;
    const BufferState* buffer;
  };
  /// Computes uses and addresses again after buffers changed.
  void resolve();
  bool shares_written(const GraphBuffer& place, const BufferState& other) const;
  void check_home(std::string_view operation) const;
  void take_draws();
  void run();
  void run_inline(StreamState& stream);
  bool is_readable() const;
  /// Calls the plugin alone, for a launch.
  patchbay_status* submit_step(const Step& step, patchbay_stream* stream) const;
  /// Runs the list as one submission of the driver. Returns false if the driver does not record it.
  bool run_by_driver(StreamState& stream, std::uint64_t known_faults);
  void run_step(const Step& step);
  CopyAddress address_of(const GraphRange& range) const;
  template <class T>
  std::span<const patchbay_argument> arguments_of(const T& launch) const {
    return std::span(arguments_).subspan(launch.first_argument, launch.num_arguments);
  }
  template <class T>
  std::span<const BufferAccess> uses_of(const T& launch) const {
    return std::span(uses_).subspan(launch.first_use, launch.num_uses);
  }

  const FaultPtr failed_ = std::make_shared<const Fault>(
      Fault{ErrorCode::kInvalidArgument, 0, "the replay that was to compute these elements failed",
            "Replay the graph once more, or make the tensor again"});
  std::vector<std::shared_ptr<DeviceState>> devices_;  // outlive all members below
  mutable output::NoDeliveryMutex mutex_;              // one run or change at a time
  std::vector<Step> steps_;
  std::vector<Launch> launches_;
  std::vector<GridLaunch> grid_launches_;
  std::vector<Copy> copies_;
  std::vector<LookStep> looks_;
  std::vector<KernelCopy> kernel_copies_;
  std::vector<patchbay_argument> arguments_;
  std::vector<GraphRange> places_;  // of the tensor arguments, in order
  std::vector<RecordedUse> recorded_uses_;
  std::vector<BufferAccess> uses_;  // resolved
  std::vector<GraphBuffer> buffers_;
  std::vector<GraphSlot> slots_;
  std::vector<GraphDraw> draws_;
  std::vector<GraphGenerator> generators_;
  DeviceState* device_ = nullptr;              // the one device of all launches, if there is one
  std::unique_ptr<DriverGraph> driver_graph_;  // null if its driver replays nothing
  std::vector<BufferAccess> boundary_;         // all buffers, each once
  std::vector<Constant> constants_;            // get their numbers of contents before each run
  std::vector<BufferState*> results_;  // current buffers of the results that others may hold
  std::vector<Buffer> arenas_;         // and the workspace
  std::size_t arena_bytes_ = 0;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_GRAPH_GRAPH_STATE_H_

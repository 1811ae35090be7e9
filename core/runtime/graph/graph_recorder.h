// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Records a thread's launches and copies instead of making them.
#ifndef PATCHBAY_CORE_RUNTIME_GRAPH_GRAPH_RECORDER_H_
#define PATCHBAY_CORE_RUNTIME_GRAPH_GRAPH_RECORDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "core/runtime/graph/graph_state.h"
#include "core/runtime/stream/recorder.h"

namespace patchbay::runtime {

/// Records this thread while it lives. Does not nest.
class GraphRecorder final : public Recorder {
 public:
  GraphRecorder();
  ~GraphRecorder() override;
  GraphRecorder(const GraphRecorder&) = delete;
  GraphRecorder& operator=(const GraphRecorder&) = delete;

  /// A new slot number, for a value that may be set before each run.
  std::uint32_t add_slot();
  /// Ends the recording. No object on the program's stack may still hold a recorded buffer.
  std::shared_ptr<GraphState> finish();

  bool has_slot(std::uint32_t slot) const override;
  void launch(KernelState& kernel, std::span<const patchbay_argument> arguments,
              std::span<const BufferAccess> uses, std::string_view name,
              std::span<const std::uint32_t> slots) override;
  void launch_grid(std::shared_ptr<const ModuleKernelState> kernel, const GridAxes& groups,
                   const GridAxes& group_size, std::span<const patchbay_argument> arguments,
                   std::span<const BufferAccess> uses) override;
  void copy(const CopyAddress& to, const CopyAddress& from, std::size_t size_bytes,
            const char* name) override;
  void kernel_copy(DeviceState& device, std::size_t size_bytes) override;
  void look(BufferState& buffer, std::size_t offset_bytes, std::size_t size_bytes, const char* name,
            Look look) override;
  void note_made(BufferState& buffer) override;
  bool makes(const BufferState& buffer) const override;
  bool owns(const BufferState& buffer) const override;
  GeneratorPosition advance(const std::shared_ptr<GeneratorState>& generator,
                            std::uint64_t calls) override;
  void set_position(const std::shared_ptr<GeneratorState>& generator,
                    GeneratorPosition position) override;
  void repeat(const std::shared_ptr<GeneratorState>& generator,
              GeneratorPosition position) override;

 private:
  std::uint32_t index_of(BufferState& buffer);
  std::uint32_t use(BufferState& buffer, bool writes, bool reads);
  std::uint32_t generator_of(const std::shared_ptr<GeneratorState>& generator);
  void add_arguments(std::span<const patchbay_argument> arguments,
                     std::span<const BufferAccess> uses, std::span<const std::uint32_t> slots);
  void keep(DeviceState& device);
  void note_unwritten(const FaultPtr& why) noexcept;
  void plan_arenas();
  void plan_one_device();
  void add_workspaces();

  std::shared_ptr<GraphState> graph_ = std::make_shared<GraphState>();
  std::unordered_map<const BufferState*, std::uint32_t> indices_;
  std::vector<std::uint32_t> slots_;
  std::optional<GraphDraw> last_draw_;  // of the last position given; none for a fixed one
  const FaultPtr not_replayed_, not_recorded_;
  bool is_finished_ = false;
  std::shared_ptr<ScopedStream> scope_;
  std::shared_ptr<const ScopedStream> previous_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_GRAPH_GRAPH_RECORDER_H_

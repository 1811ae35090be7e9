// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/launch.h"

#include "core/runtime/error.h"
#include "core/runtime/plugin_state.h"

namespace patchbay::runtime {
namespace {

/// Scratch memory of one launch; freed once the stream has passed it.
class Workspace {
 public:
  Workspace(DeviceState& device, std::uint64_t size_bytes) {
    if (size_bytes == 0) return;
    const patchbay_memory memory = device.allocator.allocate(PATCHBAY_MEMORY_DEVICE, size_bytes);
    buffer_ = new BufferState(device.shared(), memory, PATCHBAY_MEMORY_DEVICE, size_bytes);
  }
  ~Workspace() {
    if (buffer_ != nullptr) buffer_->release();
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  patchbay_memory memory() const {
    return buffer_ != nullptr ? buffer_->memory : patchbay_memory{nullptr, 0};
  }
  void note_use(StreamState& stream, std::uint64_t sequence) {
    if (buffer_ != nullptr) buffer_->note_use(stream, sequence, /*writes=*/true);
  }

 private:
  BufferState* buffer_ = nullptr;
};

patchbay_status* submit(KernelState& kernel, StreamState& stream,
                        std::span<const patchbay_argument> arguments, patchbay_memory workspace,
                        std::string_view name) {
  return kernel.device.plugin.tables.kernel.launch(stream.handle, kernel.handle, arguments.data(),
                                                   static_cast<std::uint32_t>(arguments.size()),
                                                   workspace, {name.data(), name.size()});
}

void launch_inline(KernelState& kernel, StreamState& stream,
                   std::span<const patchbay_argument> arguments, std::span<const Use> uses,
                   std::string_view name) {
  for (const Use& use : uses) use.buffer->wait_on_host(use.writes);
  const Workspace workspace(kernel.device, kernel.workspace_bytes);
  check(submit(kernel, stream, arguments, workspace.memory(), name), name, kernel.device.name_text);
}

}  // namespace

void launch_on(StreamState& stream, KernelState& kernel,
               std::span<const patchbay_argument> arguments, std::span<const Use> uses,
               std::string_view name) {
  if (kernel.device.properties.completes_inline) {
    launch_inline(kernel, stream, arguments, uses, name);
    return;
  }
  Workspace workspace(kernel.device, kernel.workspace_bytes);
  std::uint64_t sequence = 0;
  {
    const std::scoped_lock lock(stream.mutex);
    check(submit(kernel, stream, arguments, workspace.memory(), name), name,
          kernel.device.name_text);
    sequence = stream.advance();
  }
  for (const Use& use : uses) use.buffer->note_use(stream, sequence, use.writes);
  workspace.note_use(stream, sequence);
}

void launch(KernelState& kernel, std::span<const patchbay_argument> arguments,
            std::span<const Use> uses, std::string_view name) {
  StreamState& stream = *kernel.device.default_stream;
  if (!kernel.device.properties.completes_inline) {
    for (const Use& use : uses) use.buffer->insert_waits(stream, use.writes);
  }
  launch_on(stream, kernel, arguments, uses, name);
}

}  // namespace patchbay::runtime

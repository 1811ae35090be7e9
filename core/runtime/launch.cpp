// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/launch.h"

#include "core/runtime/error.h"
#include "core/runtime/plugin_state.h"

namespace patchbay::runtime {
namespace {

/// Scratch memory of one launch; freed once the stream has passed it.
Buffer make_workspace(const KernelState& kernel) {
  if (kernel.workspace_bytes == 0) return {};
  return Buffer::allocate(Device(kernel.device.shared()), kernel.workspace_bytes);
}

patchbay_memory memory_of(const Buffer& workspace) {
  return workspace ? workspace.state()->memory : patchbay_memory{nullptr, 0};
}

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
  const Buffer workspace = make_workspace(kernel);
  check(submit(kernel, stream, arguments, memory_of(workspace), name), name,
        kernel.device.name_text);
}

}  // namespace

void launch_on(StreamState& stream, KernelState& kernel,
               std::span<const patchbay_argument> arguments, std::span<const Use> uses,
               std::string_view name) {
  if (kernel.device.properties.completes_inline) {
    launch_inline(kernel, stream, arguments, uses, name);
    return;
  }
  const Buffer workspace = make_workspace(kernel);
  const std::scoped_lock lock(stream.mutex);
  const std::uint64_t sequence = stream.advance();
  for (const Use& use : uses) use.buffer->note_use(stream, sequence, use.writes);
  if (workspace) workspace.state()->note_use(stream, sequence, /*writes=*/true);
  check(submit(kernel, stream, arguments, memory_of(workspace), name), name,
        kernel.device.name_text);
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

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/kernel/launch_grid.h"

#include "core/output/delivery.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/fault.h"
#include "core/runtime/stream/recorder.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/runtime/stream/stream_trace.h"

namespace patchbay::runtime {

patchbay_status* submit_grid(patchbay_stream* stream, const ModuleKernelState& kernel,
                             const GridAxes& groups, const GridAxes& group_size,
                             std::span<const patchbay_argument> arguments) {
  return kernel.module->device->plugin.tables.kernel.launch_grid(
      stream, kernel.handle, groups.data(), group_size.data(), 0, arguments.data(),
      static_cast<std::uint32_t>(arguments.size()),
      {kernel.signature.name.data(), kernel.signature.name.size()});
}

void launch_grid(const ModuleKernelState& kernel, const GridAxes& groups,
                 const GridAxes& group_size, std::span<const patchbay_argument> arguments,
                 std::span<const BufferAccess> uses) {
  DeviceState& device = *kernel.module->device;
  const std::string& name = kernel.signature.name;
  if (Recorder* recorder = current_recorder()) [[unlikely]] {
    return recorder->launch_grid(kernel.shared_from_this(), groups, group_size, arguments, uses);
  }
  StreamState& stream = current_stream(device, name);
  const auto enter = [&](patchbay_stream* handle) {
    return submit_grid(handle, kernel, groups, group_size, arguments);
  };
  if (are_tracked(uses)) insert_waits(stream, uses, name);
  const WriteScope scope(uses);
  if (stream.completes_inline) {
    const output::NoDelivery no_delivery;
    const InlineSpan span(stream, {.name = name, .arguments = arguments});
    check_call(device, enter(stream.handle), name);
    return;
  }
  kernel.module->launched.store(true);
  stream.submit(
      {.name = name, .arguments = arguments},
      [&](std::uint64_t sequence) {
        for (const BufferAccess& use : uses) use.buffer->note_use(stream, sequence, use.writes);
      },
      enter);
}

}  // namespace patchbay::runtime

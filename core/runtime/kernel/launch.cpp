// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/kernel/launch.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/output/delivery.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/fault.h"
#include "core/runtime/stream/recorder.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/runtime/stream/stream_trace.h"

namespace patchbay::runtime {
namespace {

/// Scratch memory for one launch, freed once the stream has passed the launch.
Buffer make_workspace(const KernelState& kernel, std::string_view name) {
  if (kernel.workspace_bytes == 0) return {};
  try {
    return Buffer::allocate(Device(kernel.device.shared()), kernel.workspace_bytes);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kOutOfMemory) throw;
    throw Error(
        error.code(),
        fmt::format("[{}] no room for the workspace of {} bytes that {} asks for: {}", name,
                    kernel.workspace_bytes, kernel.spec.op, base::without_operation(error.what())),
        error.native_code(), error.is_retryable());
  }
}

patchbay_memory memory_of(const Buffer& workspace) {
  return workspace ? workspace.state()->memory : patchbay_memory{nullptr, 0};
}

patchbay_status* submit(KernelState& kernel, patchbay_stream* stream,
                        std::span<const patchbay_argument> arguments, patchbay_memory workspace,
                        std::string_view name) {
  const output::NoDelivery no_delivery;
  return kernel.device.plugin.tables.kernel.launch(stream, kernel.handle, arguments.data(),
                                                   static_cast<std::uint32_t>(arguments.size()),
                                                   workspace, {name.data(), name.size()});
}

std::uint64_t size_of(const patchbay_argument& tensor) {
  std::uint64_t bytes = size_bytes(static_cast<DType>(tensor.dtype));
  for (int d = 0; d < tensor.rank; ++d) bytes *= static_cast<std::uint64_t>(tensor.shape[d]);
  return bytes;
}

}  // namespace

void check_readable(std::span<const BufferAccess> uses, std::string_view name) {
  for (const BufferAccess& use : uses) {
    if (use.reads) use.buffer->check_readable(name);
  }
}

void insert_waits(StreamState& stream, std::span<const BufferAccess> uses, std::string_view name) {
  stream.check_not_failed(name);
  for (const BufferAccess& use : uses) {
    if (stream.completes_inline) {
      use.buffer->wait_on_host(use.writes, name);
    } else {
      use.buffer->insert_waits(stream, use.writes, name);
    }
  }
  check_readable(uses, name);
}

/// An output repeats no elements, so one as large as its buffer covers all of it.
void note_rewritten(std::span<const patchbay_argument> arguments,
                    std::span<const BufferAccess> uses, std::uint64_t after) {
  auto use = uses.begin();
  for (const patchbay_argument& argument : arguments) {
    if (argument.kind != PATCHBAY_TENSOR) continue;
    const BufferState& buffer = *use->buffer;
    if (use->writes && size_of(argument) == buffer.size_bytes) use->buffer->note_rewritten(after);
    ++use;
  }
}

void launch_on(StreamState& stream, KernelState& kernel,
               std::span<const patchbay_argument> arguments, std::span<const BufferAccess> uses,
               std::string_view name) {
  const WriteScope scope(uses);
  const Buffer workspace = make_workspace(kernel, name);
  // Another launch may have used the memory just before, on another stream.
  if (workspace) workspace.state()->insert_inherited_waits(stream);
  if (stream.completes_inline) {
    const auto enter = [&] {
      check_call(kernel.device,
                 submit(kernel, stream.handle, arguments, memory_of(workspace), name), name);
    };
    if (!kernel.device.runtime.tracing.is_watched()) [[likely]]
      return enter();
    const InlineSpan span(stream, {.name = name, .arguments = arguments});
    enter();
    return;
  }
  stream.submit(
      {.name = name, .arguments = arguments},
      [&](std::uint64_t sequence) {
        for (const BufferAccess& use : uses) use.buffer->note_use(stream, sequence, use.writes);
        if (workspace) workspace.state()->note_use(stream, sequence, /*writes=*/true);
      },
      [&](patchbay_stream* handle) {
        return submit(kernel, handle, arguments, memory_of(workspace), name);
      });
}

void launch(KernelState& kernel, std::span<const patchbay_argument> arguments,
            std::span<const BufferAccess> uses, std::string_view name,
            std::span<const std::uint32_t> slots) {
  if (Recorder* recorder = current_recorder()) [[unlikely]] {
    return recorder->launch(kernel, arguments, uses, name, slots);
  }
  StreamState& stream = current_stream(kernel.device, name);
  if (!are_tracked(uses)) return launch_on(stream, kernel, arguments, uses, name);
  insert_waits(stream, uses, name);
  const std::uint64_t known = BufferState::faults_so_far();
  launch_on(stream, kernel, arguments, uses, name);
  note_rewritten(arguments, uses, known);
}

}  // namespace patchbay::runtime

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/memory/native_memory.h"

#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/fault.h"
#include "core/runtime/stream/native_handle.h"

namespace patchbay {
namespace runtime {

NativeHandle native_memory(BufferState& buffer, std::size_t offset_bytes) {
  if (buffer.memory.base == nullptr) return {NativeKind::kMemory, 0, 0};
  buffer.expose();
  NativeHandle handle = native_handle_of(*buffer.device, NativeKind::kMemory, buffer.memory.base);
  const std::size_t offset = buffer.memory.offset_bytes + offset_bytes;
  if (buffer.device->info.has_addresses) {
    if (handle.value == 0) raise_no_object(*buffer.device, "native_handle", "native_handle");
    handle.value += offset;
  } else {
    handle.offset_bytes = offset;
  }
  return handle;
}

Buffer wrap_memory(const char* operation, const Device& device, std::uint64_t native_memory,
                   std::size_t size_bytes, std::function<void()> released, bool is_read_only) {
  DeviceState& state = device.state();
  const auto call = state.enter(operation);
  patchbay_memory memory{nullptr, 0};
  if (size_bytes != 0) {
    if (native_memory == 0) {
      raise(ErrorCode::kInvalidArgument,
            "[{}] null memory: expected the native handle of {} bytes, got 0 ({}). Pass the "
            "driver's own address or object.",
            operation, size_bytes, state.info.name_text);
    }
    check_call(
        state,
        state.plugin.tables.memory.wrap(state.open(operation), native_memory, size_bytes, &memory),
        operation);
    check_memory(state, operation, "wrap", memory);
  }
  auto wrapped = std::make_unique<BufferState>(device.shared_state(), memory, size_bytes,
                                               std::move(released), is_read_only);
  state.live_wraps.fetch_add(1, std::memory_order_relaxed);
  return Buffer(wrapped.release());
}

}  // namespace runtime

NativeHandle native_handle(const Buffer& buffer) {
  runtime::BufferState& state = runtime::state_of("native_handle", buffer);
  state.finish_inherited();  // the application can't know of that work
  return runtime::native_memory(state, 0);
}

Buffer wrap_buffer(const Device& device, std::uint64_t native_memory, std::size_t size_bytes,
                   std::function<void()> released) {
  return runtime::wrap_memory("wrap_buffer", device, native_memory, size_bytes, std::move(released),
                              /*is_read_only=*/false);
}

}  // namespace patchbay

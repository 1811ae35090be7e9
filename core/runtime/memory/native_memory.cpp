// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/memory/native_memory.h"

#include <memory>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/output/delivery.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/device/context.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/fault.h"
#include "core/runtime/stream/native_handle.h"

namespace patchbay::runtime {
namespace {

/// Keeps the plugin loaded during a call. A call for the plugin's own memory does not: its thread
/// must not wait for an unload that may wait for this thread.
struct PluginKept {
  explicit PluginKept(PluginState& plugin) noexcept {
    if (!is_for_plugin) call.emplace(plugin.calls);
  }
  std::optional<CallGate::Call> call;
};

/// The plugin's own memory opens no device: another thread of the plugin's may be doing that.
patchbay_device* opened(DeviceState& device) {
  if (!is_for_plugin) return device.open();
  patchbay_device* const handle = device.handle.load(std::memory_order_acquire);
  if (handle == nullptr) {
    base::raise(ErrorCode::kInvalidArgument,
                "[scratch_allocate] {} is being opened or closed. Allocate while it is open.",
                device.info.name_text);
  }
  return handle;
}

}  // namespace

RawMemory DriverMemory::allocate(MemoryKind kind, std::size_t size_bytes,
                                 std::size_t alignment_bytes) {
  link_->home.check("allocate", "driver_memory");
  const output::NoDelivery no_delivery;
  const std::shared_lock lock(link_->mutex);
  DeviceState* const device = link_->device;
  if (device == nullptr) {
    base::raise(ErrorCode::kUnknownDevice,
                "[allocate] the device of this driver_memory is gone with its "
                "runtime. Keep the runtime as long as its memory is used.");
  }
  const PluginKept kept(device->plugin);
  const patchbay_memory_table& table = device->plugin.tables.memory;
  patchbay_device* const handle = opened(*device);
  const auto number = static_cast<std::uint32_t>(kind);
  patchbay_memory memory{nullptr, 0};
  check_call(*device, table.allocate(handle, number, size_bytes, alignment_bytes, &memory),
             "allocate");
  // What it refuses is not given back: the plugin may fail on that too.
  check_memory(*device, "allocate", "allocate", memory, number, alignment_bytes);
  return {memory.base, memory.offset_bytes};
}

void DriverMemory::release(MemoryKind kind, RawMemory memory, std::size_t) noexcept {
  if (!link_->home.is_here()) return;
  const output::NoDelivery no_delivery;
  const std::shared_lock lock(link_->mutex);
  DeviceState* const device = link_->device;
  if (device == nullptr) return;  // freed with the device
  const PluginKept kept(device->plugin);
  // Beside the thread that closes the device only the plugin's own threads may still give back.
  if (!is_for_plugin && device->plugin.calls.is_late()) return;
  patchbay_device* const opened = device->closing_handle.load();
  if (opened == nullptr) return;
  device->plugin.tables.memory.release(opened, static_cast<std::uint32_t>(kind),
                                       {memory.base, memory.offset_bytes});
}

}  // namespace patchbay::runtime

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
      base::raise(ErrorCode::kInvalidArgument,
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

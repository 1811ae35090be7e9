// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/api/interop.h"

#include <utility>

#include "core/base/error.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/registry/device_assembly.h"
#include "core/runtime/search/arrival.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay {

std::string_view to_string(NativeKind kind) {
  switch (kind) {
    case NativeKind::kDevice: return "device";
    case NativeKind::kContext: return "context";
    case NativeKind::kStream: return "stream";
    case NativeKind::kMemory: return "memory";
    case NativeKind::kEvent: return "event";
  }
  return "unknown";
}

namespace runtime {
namespace {

NativeHandle ask(DeviceState& device, NativeKind kind, void* object,
                 const char* operation = "native_handle") {
  const auto call = device.enter(operation);
  NativeHandle handle;
  handle.kind = kind;
  check_call(device,
             device.plugin.tables.plugin.native_handle(
                 device.open(operation), static_cast<std::uint32_t>(kind), object, &handle.value),
             operation);
  return handle;
}

}  // namespace

BufferState& state_of(const char* operation, const Buffer& buffer) {
  if (buffer) return *buffer.state();
  raise(ErrorCode::kInvalidArgument,
        "[{}] null buffer: expected one that Buffer::allocate, Buffer::wrap_host or wrap_buffer "
        "made.",
        operation);
}

NativeHandle native_memory(BufferState& buffer, std::size_t offset_bytes) {
  if (buffer.memory.base == nullptr) return {NativeKind::kMemory, 0, 0};
  buffer.expose();
  NativeHandle handle = ask(*buffer.device, NativeKind::kMemory, buffer.memory.base);
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

std::unique_ptr<StreamState> wrap_stream(const char* operation, DeviceState& device,
                                         std::uint64_t native_stream) {
  const auto call = device.enter(operation);
  patchbay_stream* handle = nullptr;
  check_call(device,
             device.plugin.tables.stream.wrap(device.open(operation), native_stream, &handle),
             operation);
  auto stream = std::make_unique<StreamState>(device, device.shared(),
                                              own_stream(device, handle, operation, "wrap"));
  stream->is_lent = true;
  device.add_stream(*stream);
  return stream;
}

}  // namespace runtime

NativeHandle native_handle(const Device& device) {
  return runtime::ask(device.state(), NativeKind::kDevice, nullptr);
}

NativeHandle native_context(const Device& device) {
  return runtime::ask(device.state(), NativeKind::kContext, nullptr, "native_context");
}

NativeHandle native_handle(const Stream& stream) {
  runtime::StreamState& state = stream.state();
  const auto call = state.device.enter("native_handle");
  const std::scoped_lock lock(state.mutex);  // a profile may replace the queue until then
  const NativeHandle handle = runtime::ask(state.device, NativeKind::kStream, state.open_handle());
  state.is_exposed.store(true, std::memory_order_relaxed);
  return handle;
}

NativeHandle native_handle(const Event& event) {
  runtime::EventState& state = event.state();
  return runtime::ask(state.device, NativeKind::kEvent, state.handle);
}

NativeHandle native_handle(const Buffer& buffer) {
  runtime::BufferState& state = runtime::state_of("native_handle", buffer);
  state.finish_inherited();  // the application can't know of that work
  return runtime::native_memory(state, 0);
}

void adopt_context(const Device& device, std::uint64_t native_context) {
  if (native_context == 0) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[adopt_context] null context: expected the driver's own, got 0 ({}). Leave it "
                   "out, and the device opens in a context of its own.",
                   device.name());
  }
  static_cast<runtime::DeviceAssembly&>(device.state()).open_in(native_context);
}

PluginExtension plugin_extension(const Device& device, std::string_view name,
                                 std::uint32_t version) {
  runtime::DeviceState& state = device.state();
  if (name.find('.') == std::string_view::npos) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[plugin_extension] {}: expected a name of the plugin's own, which has a '.' in "
                   "it, as 'mine.counters' ({}).",
                   runtime::quote(name), state.info.name_text);
  }
  const auto call = state.enter("plugin_extension");
  patchbay_device* const opened = state.open("plugin_extension");
  const void* const table = state.plugin.extension(name, 0, state.info.plugin_index, version);
  const auto& layer = state.plugin.layer;
  if (table != nullptr) return {table, layer != nullptr ? layer->own_device(opened) : opened};
  runtime::raise(ErrorCode::kUnsupported,
                 "[plugin_extension] the plugin '{}' has no extension {} of version {} ({}). Its "
                 "documentation says which it has.",
                 state.plugin.name, runtime::quote(name), version, state.info.name_text);
}

Stream wrap_stream(const Device& device, std::uint64_t native_stream) {
  const std::shared_ptr<runtime::StreamState> lent(
      runtime::wrap_stream("wrap_stream", device.state(), native_stream).release(),
      runtime::DeleteOutsideCallbacks());
  return Stream(std::shared_ptr<runtime::StreamState>(lent.get(), runtime::EndLent{lent}));
}

Buffer wrap_buffer(const Device& device, std::uint64_t native_memory, std::size_t size_bytes,
                   std::function<void()> released) {
  return runtime::wrap_memory("wrap_buffer", device, native_memory, size_bytes, std::move(released),
                              /*is_read_only=*/false);
}

}  // namespace patchbay

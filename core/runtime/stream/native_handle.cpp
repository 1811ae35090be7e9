// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream/native_handle.h"

#include <utility>

#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/fault.h"
#include "core/runtime/stream/stream_scope.h"

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

NativeHandle native_handle_of(DeviceState& device, NativeKind kind, void* object,
                              const char* operation) {
  const auto call = device.enter(operation);
  NativeHandle handle;
  handle.kind = kind;
  check_call(device,
             device.plugin.tables.plugin.native_handle(
                 device.open(operation), static_cast<std::uint32_t>(kind), object, &handle.value),
             operation);
  return handle;
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
  return runtime::native_handle_of(device.state(), NativeKind::kDevice, nullptr);
}

NativeHandle native_context(const Device& device) {
  return runtime::native_handle_of(device.state(), NativeKind::kContext, nullptr, "native_context");
}

NativeHandle native_handle(const Stream& stream) {
  runtime::StreamState& state = stream.state();
  const auto call = state.device.enter("native_handle");
  const std::scoped_lock lock(state.mutex);  // a profile may replace the queue until then
  const NativeHandle handle =
      runtime::native_handle_of(state.device, NativeKind::kStream, state.open_handle());
  state.is_exposed.store(true, std::memory_order_relaxed);
  return handle;
}

NativeHandle native_handle(const Event& event) {
  runtime::EventState& state = event.state();
  return runtime::native_handle_of(state.device, NativeKind::kEvent, state.handle);
}

Stream wrap_stream(const Device& device, std::uint64_t native_stream) {
  const std::shared_ptr<runtime::StreamState> lent(
      runtime::wrap_stream("wrap_stream", device.state(), native_stream).release(),
      runtime::DeleteOutsideCallbacks());
  return Stream(std::shared_ptr<runtime::StreamState>(lent.get(), runtime::EndLent{lent}));
}

}  // namespace patchbay

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/runtime/context.h"
#include "core/runtime/copy_plan.h"
#include "core/runtime/device_state.h"
#include "core/runtime/error.h"
#include "core/runtime/plugin_state.h"
#include "core/runtime/runtime_state.h"
#include "core/runtime/stream_scope.h"

namespace patchbay::runtime {
namespace {

constexpr std::size_t kStagingSlots = 2;

Terminal terminal_of(const BufferState* buffer) {
  if (buffer == nullptr) return {};
  return {buffer->device.get(), static_cast<std::uint32_t>(buffer->kind), buffer->host_addressable};
}

char* host_address(const End& end) {
  if (end.buffer == nullptr) return static_cast<char*>(end.host);
  const patchbay_memory& memory = end.buffer->memory;
  return static_cast<char*>(memory.base) + memory.offset_bytes + end.offset_bytes;
}

patchbay_memory device_address(const End& end) {
  const patchbay_memory& memory = end.buffer->memory;
  return {memory.base, memory.offset_bytes + end.offset_bytes};
}

/// Submits to this thread's stream of `device`, after the waits that the buffers call for, and
/// notes the new position.
template <class Entry>
void submit(DeviceState& device, const End& to, const End& from, std::size_t size_bytes,
            const char* operation, Entry&& entry) {
  device.open();
  StreamState& stream = current_stream(device, operation);
  if (stream.completes_inline) {
    if (to.buffer != nullptr) to.buffer->wait_on_host(/*writes=*/true);
    if (from.buffer != nullptr) from.buffer->wait_on_host(/*writes=*/false);
    check(entry(stream.handle), operation, device.name_text);
    return;
  }
  if (to.buffer != nullptr) to.buffer->insert_waits(stream, /*writes=*/true);
  if (from.buffer != nullptr) from.buffer->insert_waits(stream, /*writes=*/false);
  stream.submit(
      {operation, /*is_copy=*/true, size_bytes},
      [&](std::uint64_t sequence) {
        if (to.buffer != nullptr) to.buffer->note_use(stream, sequence, /*writes=*/true);
        if (from.buffer != nullptr) from.buffer->note_use(stream, sequence, /*writes=*/false);
      },
      entry);
}

void to_device(const End& to, const End& from, std::size_t size_bytes, const char* operation) {
  DeviceState& device = *to.buffer->device;
  submit(device, to, from, size_bytes, operation, [&](patchbay_stream* stream) {
    return device.plugin.tables.memory.copy_to_device(stream, device_address(to),
                                                      host_address(from), size_bytes);
  });
}

void to_host(const End& to, const End& from, std::size_t size_bytes, const char* operation) {
  DeviceState& device = *from.buffer->device;
  submit(device, to, from, size_bytes, operation, [&](patchbay_stream* stream) {
    return device.plugin.tables.memory.copy_to_host(stream, host_address(to), device_address(from),
                                                    size_bytes);
  });
}

void on_device(const End& to, const End& from, std::size_t size_bytes, const char* operation) {
  DeviceState& device = *from.buffer->device;
  submit(device, to, from, size_bytes, operation, [&](patchbay_stream* stream) {
    return device.plugin.tables.memory.copy_on_device(stream, device_address(to),
                                                      device_address(from), size_bytes);
  });
}

void to_peer(const End& to, const End& from, std::size_t size_bytes, const char* operation) {
  DeviceState& source = *from.buffer->device;
  patchbay_device* target = to.buffer->device->open();
  submit(source, to, from, size_bytes, operation, [&](patchbay_stream* stream) {
    return source.plugin.tables.memory.copy_to_peer(stream, target, device_address(to),
                                                    device_address(from), size_bytes);
  });
}

void on_host(const End& to, const End& from, std::size_t size_bytes) {
  if (to.buffer != nullptr) to.buffer->wait_on_host(/*writes=*/true);
  if (from.buffer != nullptr) from.buffer->wait_on_host(/*writes=*/false);
  // Two buffers may wrap memory that overlaps.
  std::memmove(host_address(to), host_address(from), size_bytes);
}

/// Through pinned memory of the source device, in two slots: while one chunk goes to its
/// destination the next one comes.
void staged(const End& to, const End& from, std::size_t size_bytes, const char* operation) {
  const Device source(from.buffer->device);
  const std::size_t slot_bytes = std::min(size_bytes, kStagingChunkBytes);
  std::array<Buffer, kStagingSlots> slots;
  std::size_t at = 0;
  for (std::size_t i = 0; at < size_bytes; ++i) {
    Buffer& slot = slots[i % kStagingSlots];
    if (!slot) slot = Buffer::allocate(source, slot_bytes, MemoryKind::kPinned);
    const std::size_t chunk_bytes = std::min(slot_bytes, size_bytes - at);
    const End middle{slot.state(), 0, nullptr};
    const auto advanced = [at](const End& end) {
      return End{end.buffer, end.offset_bytes + at, end.host};
    };
    to_host(middle, advanced(from), chunk_bytes, operation);
    to_device(advanced(to), middle, chunk_bytes, operation);
    at += chunk_bytes;
  }
}

/// The guard concerns movement between memories, so not what stays on one device.
void honour_guard(const Terminal& to, const Terminal& from, Route route, std::size_t size_bytes,
                  const char* operation) {
  const Context& scope = context();
  if (scope.guard == CopyGuard::Mode::kAllow || route == Route::kSameDevice) return;
  const std::string what = fmt::format("[{}] copy of {} bytes from {} to {} ({})", operation,
                                       size_bytes, name_of(from), name_of(to), to_string(route));
  if (scope.guard == CopyGuard::Mode::kForbid) {
    raise(ErrorCode::kCopyForbidden,
          "{} inside a CopyGuard: expected that nothing moves. Move it out of the guarded block, "
          "or allow it with CopyGuard(CopyGuard::Mode::kAllow).",
          what);
  }
  DeviceState* device = from.device != nullptr ? from.device : to.device;
  if (device != nullptr) {
    device->runtime.logger.log(LogLevel::kWarning, "{} inside a CopyGuard", what);
  }
}

void move(Route route, const End& to, const End& from, std::size_t size_bytes,
          const char* operation) {
  switch (route) {
    case Route::kNone: return;
    case Route::kSameDevice: return on_device(to, from, size_bytes, operation);
    case Route::kHostToHost: return on_host(to, from, size_bytes);
    case Route::kHostToDevice: return to_device(to, from, size_bytes, operation);
    case Route::kDeviceToHost: return to_host(to, from, size_bytes, operation);
    case Route::kPeer: return to_peer(to, from, size_bytes, operation);
    case Route::kStaged: return staged(to, from, size_bytes, operation);
  }
}

/// Blocks until the copy is done: by the destination's last write or, where the caller's own
/// memory is an end, by the stream that moves it.
void finish(const End& to, const End& from, const char* operation) {
  if (to.buffer != nullptr && from.buffer != nullptr) {
    to.buffer->wait_on_host(/*writes=*/false, operation);
    return;
  }
  const BufferState& buffer = to.buffer != nullptr ? *to.buffer : *from.buffer;
  if (buffer.host_addressable) return;  // moved by the host itself
  current_stream(*buffer.device, operation).synchronize(PATCHBAY_NO_DEADLINE, operation);
}

}  // namespace

void copy_bytes(const End& to, const End& from, std::size_t size_bytes, bool non_blocking,
                const char* operation) {
  const bool is_same_place =
      to.buffer != nullptr && to.buffer == from.buffer && to.offset_bytes == from.offset_bytes;
  if (size_bytes == 0 || is_same_place) return;
  const Terminal source = terminal_of(from.buffer);
  const Terminal target = terminal_of(to.buffer);
  check_same_runtime(source, target, operation);
  const Route route = choose_route(source, target);
  honour_guard(target, source, route, size_bytes, operation);
  check_no_callback(operation);
  if (from.buffer != nullptr) from.buffer->check_readable(operation);
  move(route, to, from, size_bytes, operation);
  if (to.buffer != nullptr && size_bytes == to.buffer->size_bytes) to.buffer->note_rewritten();
  DeviceState* device = source.device != nullptr ? source.device : target.device;
  device->runtime.ledger.record(name_of(source), name_of(target), route, size_bytes);
  // The caller's own memory is not ours to keep: such a copy is always complete on return.
  if (!non_blocking || to.buffer == nullptr || from.buffer == nullptr) finish(to, from, operation);
}

void check_copy_allowed(DeviceState& to, const BufferState* from, std::size_t size_bytes,
                        const char* operation) {
  if (context().guard != CopyGuard::Mode::kForbid || size_bytes == 0) return;
  const Terminal source = terminal_of(from);
  const Terminal target = {&to, PATCHBAY_MEMORY_DEVICE, to.properties.host_addressable};
  honour_guard(target, source, choose_route(source, target), size_bytes, operation);
}

void record_kernel_copy(DeviceState& device, std::size_t size_bytes) {
  device.runtime.ledger.record(device.name_text, device.name_text, Route::kSameDevice, size_bytes);
}

}  // namespace patchbay::runtime

namespace patchbay {
namespace {

using runtime::End;
using runtime::raise;

void check_range(const BufferRange& range, const char* which) {
  if (!range.buffer) {
    raise(ErrorCode::kInvalidArgument, "[copy] the {} has no buffer.", which);
  }
  const std::size_t size = range.buffer.size_bytes();
  if (range.offset_bytes > size || range.size_bytes > size - range.offset_bytes) {
    raise(ErrorCode::kInvalidArgument,
          "[copy] the {} range is outside its buffer: {} bytes from offset {}, of {} bytes ({}).",
          which, range.size_bytes, range.offset_bytes, size, range.buffer.device().name());
  }
}

/// Whether two ranges share some bytes, but are not the same. Two buffers share bytes where both
/// wrap one block of the application's.
bool overlap(const BufferRange& a, const BufferRange& b) {
  const patchbay_memory& left = a.buffer.state()->memory;
  const patchbay_memory& right = b.buffer.state()->memory;
  const bool is_shared =
      a.buffer == b.buffer || runtime::may_share_bytes(*a.buffer.state(), *b.buffer.state());
  if (!is_shared) return false;
  const auto begin = [](const patchbay_memory& memory, const BufferRange& range) {
    return reinterpret_cast<std::uintptr_t>(memory.base) + memory.offset_bytes + range.offset_bytes;
  };
  const std::uintptr_t left_begin = begin(left, a);
  const std::uintptr_t right_begin = begin(right, b);
  return left_begin != right_begin && left_begin < right_begin + b.size_bytes &&
         right_begin < left_begin + a.size_bytes;
}

End end_of(const BufferRange& range) { return {range.buffer.state(), range.offset_bytes, nullptr}; }

}  // namespace

void copy(const BufferRange& to, const BufferRange& from, bool non_blocking) {
  check_range(to, "destination");
  check_range(from, "source");
  to.buffer.state()->check_writable("copy", "the destination");
  if (to.size_bytes != from.size_bytes) {
    raise(ErrorCode::kInvalidArgument,
          "[copy] sizes differ: destination {} bytes, source {} bytes.", to.size_bytes,
          from.size_bytes);
  }
  if (overlap(to, from)) {
    raise(ErrorCode::kInvalidArgument,
          "[copy] the ranges overlap: {} bytes at offsets {} and {} of the same memory ({}).",
          to.size_bytes, to.offset_bytes, from.offset_bytes, to.buffer.device().name());
  }
  runtime::copy_bytes(end_of(to), end_of(from), to.size_bytes, non_blocking, "copy");
}

void copy_from_host(const BufferRange& to, const void* from) {
  check_range(to, "destination");
  to.buffer.state()->check_writable("copy_from_host", "the destination");
  if (from == nullptr && to.size_bytes != 0) {
    raise(ErrorCode::kInvalidArgument, "[copy_from_host] the source is null.");
  }
  runtime::copy_bytes(end_of(to), {nullptr, 0, const_cast<void*>(from)}, to.size_bytes, false,
                      "copy_from_host");
}

void copy_to_host(void* to, const BufferRange& from) {
  check_range(from, "source");
  if (to == nullptr && from.size_bytes != 0) {
    raise(ErrorCode::kInvalidArgument, "[copy_to_host] the destination is null.");
  }
  runtime::copy_bytes({nullptr, 0, to}, end_of(from), from.size_bytes, false, "copy_to_host");
}

}  // namespace patchbay

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/buffer.h"

#include "core/base/error.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/memory/allocator.h"
#include "core/runtime/memory/buffer_state.h"
#include "core/runtime/stream/recorder.h"
#include "core/runtime/stream/stream_scope.h"

namespace patchbay {

using runtime::BufferState;

BufferState& runtime::state_of(const char* operation, const Buffer& buffer) {
  if (buffer) return *buffer.state();
  base::raise(
      ErrorCode::kInvalidArgument,
      "[{}] null buffer: expected one that Buffer::allocate, Buffer::wrap_host or wrap_buffer "
      "made.",
      operation);
}

Buffer::Buffer(const Buffer& other) noexcept : state_(other.state_) {
  if (state_ != nullptr) state_->retain();
}

void Buffer::release() noexcept { state_->release(); }

namespace {

runtime::Allocation allocate_by_call(runtime::DeviceState& device,
                                     runtime::KindAllocator& allocator, std::size_t size_bytes) {
  const auto call = device.enter("allocate");
  device.open("allocate");
  device.check_alive("allocate");  // there may still be a block
  return allocator.allocate(size_bytes);
}

}  // namespace

Buffer Buffer::allocate(const Device& device, std::size_t size_bytes, MemoryKind kind) {
  if (kind == MemoryKind::kUnified && !device.properties().unified_buffers) {
    base::raise(ErrorCode::kUnsupported,
                "[allocate] {} has no unified memory: expected a device whose properties say "
                "unified_buffers. Allocate device memory, and copy.",
                device.name());
  }
  runtime::DeviceState& maker = device.state();
  runtime::KindAllocator& allocator = maker.allocator->of(kind);
  maker.check_home("allocate");
  runtime::Allocation allocation = allocator.allocate_kept(size_bytes);
  if (allocation.block == nullptr) allocation = allocate_by_call(maker, allocator, size_bytes);
  BufferState* state = nullptr;
  try {
    state = new BufferState(device.shared_state(), kind, allocation);
  } catch (...) {
    allocator.free(allocation, allocation.block != nullptr ? std::move(allocation.block->uses)
                                                           : std::vector<runtime::PastUse>());
    throw;
  }
  Buffer buffer(state);
  if (runtime::Recorder* recorder = runtime::current_recorder()) [[unlikely]] {
    recorder->note_made(*state);
  }
  return buffer;
}

namespace {

std::unique_ptr<BufferState> wrapped(const Device& device, void* data, std::size_t size_bytes,
                                     std::function<void()> released, bool is_read_only) {
  const auto call = device.state().enter("wrap_host");
  if (!device.properties().host_addressable) {
    base::raise(ErrorCode::kUnsupported,
                "[wrap_host] {} can't use host memory in place. Copy with from_host instead.",
                device.name());
  }
  if (data == nullptr && size_bytes != 0) {
    base::raise(ErrorCode::kInvalidArgument, "[wrap_host] null memory: expected {} bytes ({}).",
                size_bytes, device.name());
  }
  auto state = std::make_unique<BufferState>(device.shared_state(), patchbay_memory{data, 0},
                                             size_bytes, std::move(released), is_read_only);
  device.state().live_wraps.fetch_add(1, std::memory_order_relaxed);
  return state;
}

}  // namespace

Buffer Buffer::wrap_host(const Device& device, void* data, std::size_t size_bytes,
                         std::function<void()> released) {
  return Buffer(wrapped(device, data, size_bytes, std::move(released), false).release());
}

Buffer Buffer::wrap_read_only(const Device& device, const void* data, std::size_t size_bytes,
                              std::function<void()> released) {
  // The memory's state has one type of pointer, and the flag.
  return Buffer(
      wrapped(device, const_cast<void*>(data), size_bytes, std::move(released), true).release());
}

runtime::BufferState& Buffer::checked(const char* operation) const {
  return runtime::state_of(operation, *this);
}

Device Buffer::device() const { return Device(checked("device").device); }
std::size_t Buffer::size_bytes() const { return checked("size_bytes").size_bytes; }
MemoryKind Buffer::kind() const { return checked("kind").kind; }
bool Buffer::is_host_addressable() const { return checked("is_host_addressable").host_addressable; }

void* Buffer::host_pointer() const {
  runtime::BufferState& state = checked("host_pointer");
  if (!state.host_addressable) {
    base::raise(ErrorCode::kUnsupported,
                "[host_pointer] the host can't address memory of {}. Copy it to the host "
                "first, with copy_to_host or Tensor::to(\"cpu\").",
                state.device->info.name_text);
  }
  runtime::check_not_recording("host_pointer");
  state.device->check_alive("host_pointer");
  state.expose();
  state.wait_on_host(/*writes=*/true, "host_pointer");
  state.check_readable("host_pointer");
  return static_cast<char*>(state.memory.base) + state.memory.offset_bytes;
}

void Buffer::wait() const {
  runtime::BufferState& state = checked("wait");
  runtime::check_not_recording("wait");
  state.device->check_alive("wait");
  state.wait_on_host(/*writes=*/true);
  state.check_readable("wait");
}

}  // namespace patchbay

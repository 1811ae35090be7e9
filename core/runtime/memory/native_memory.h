// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory of the driver: as a resource, behind buffers, and buffers in the application's memory.
// Included by core/tensor.
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_NATIVE_MEMORY_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_NATIVE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "patchbay/buffer.h"
#include "patchbay/interop.h"
#include "patchbay/memory.h"

#include "core/runtime/device/device_state.h"
#include "core/runtime/memory/buffer_state.h"

namespace patchbay::runtime {

/// Passes requests to the device's plugin. Keeps no runtime alive: the device's allocator may hold
/// a resource that is built on it.
class DriverMemory : public MemoryResource {
 public:
  explicit DriverMemory(std::shared_ptr<DeviceLink> link) : link_(std::move(link)) {}

  RawMemory allocate(MemoryKind kind, std::size_t size_bytes, std::size_t alignment_bytes) override;
  void release(MemoryKind kind, RawMemory memory, std::size_t size_bytes) noexcept override;

 private:
  const std::shared_ptr<DeviceLink> link_;
};

/// The native memory at `offset_bytes` in the buffer. Does not wait.
NativeHandle native_memory(BufferState& buffer, std::size_t offset_bytes);

/// Wraps the application's memory. The plugin checks `base`, unless there are 0 bytes.
Buffer wrap_memory(const char* operation, const Device& device, std::uint64_t native_memory,
                   std::size_t size_bytes, std::function<void()> released, bool is_read_only);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_NATIVE_MEMORY_H_

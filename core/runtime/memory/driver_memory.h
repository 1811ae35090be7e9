// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_DRIVER_MEMORY_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_DRIVER_MEMORY_H_

#include <memory>

#include "patchbay/memory.h"

#include "core/runtime/device/device_state.h"

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

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_DRIVER_MEMORY_H_

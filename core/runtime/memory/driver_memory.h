// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_DRIVER_MEMORY_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_DRIVER_MEMORY_H_

#include <memory>
#include <shared_mutex>

#include "patchbay/memory.h"

#include "core/base/fork.h"

namespace patchbay::runtime {

struct DeviceState;

/// Where a device is, for who may outlive it: null when it is gone.
struct DeviceLink {
  explicit DeviceLink(DeviceState* there) : device(there) {}
  const HomeProcess home;
  std::shared_mutex mutex;
  DeviceState* device;
};

/// Passes each request on to the device's plugin. It keeps no runtime alive: the device's allocator
/// may hold a resource that is built on it.
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

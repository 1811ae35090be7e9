// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/memory/driver_memory.h"

#include "core/base/error.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/fault.h"

namespace patchbay::runtime {

RawMemory DriverMemory::allocate(MemoryKind kind, std::size_t size_bytes,
                                 std::size_t alignment_bytes) {
  link_->home.check("allocate", "driver_memory");
  const std::shared_lock lock(link_->mutex);
  DeviceState* const device = link_->device;
  if (device == nullptr) {
    raise(ErrorCode::kUnknownDevice,
          "[allocate] the device of this driver_memory is gone with its "
          "runtime. Keep the runtime as long as its memory is used.");
  }
  const CallGate::Call call(device->plugin.calls);
  patchbay_memory memory{nullptr, 0};
  check_call(*device,
             device->plugin.tables.memory.allocate(device->open(), static_cast<std::uint32_t>(kind),
                                                   size_bytes, alignment_bytes, &memory),
             "allocate");
  check_memory(*device, "allocate", "allocate", memory, static_cast<std::uint32_t>(kind),
               alignment_bytes);
  return {memory.base, memory.offset_bytes};
}

void DriverMemory::release(MemoryKind kind, RawMemory memory, std::size_t) noexcept {
  if (!link_->home.is_here()) return;
  const std::shared_lock lock(link_->mutex);
  DeviceState* const device = link_->device;
  if (device == nullptr) return;  // freed with the device
  const CallGate::Call call(device->plugin.calls);
  patchbay_device* const opened = device->handle.load();
  if (opened == nullptr) return;
  device->plugin.tables.memory.release(opened, static_cast<std::uint32_t>(kind),
                                       {memory.base, memory.offset_bytes});
}

}  // namespace patchbay::runtime

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/memory.h"

#include "patchbay/device.h"

#include "core/runtime/device/device_state.h"
#include "core/runtime/memory/driver_memory.h"

namespace patchbay {

std::string_view to_string(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kDevice: return "device";
    case MemoryKind::kPinned: return "pinned";
    case MemoryKind::kUnified: return "unified";
  }
  return "unknown";
}

MemoryResource::~MemoryResource() = default;

std::shared_ptr<MemoryResource> driver_memory(const Device& device) {
  const auto call = device.state().enter("driver_memory");
  device.state().open("driver_memory");
  return std::make_shared<runtime::DriverMemory>(device.state().link);
}

}  // namespace patchbay

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The public calls on the memory of devices.
#include "patchbay/memory.h"

#include "patchbay/device.h"

#include "core/base/error.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/memory/allocator.h"
#include "core/runtime/memory/native_memory.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/search/arrival.h"
#include "core/runtime/stream/stream_scope.h"

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

namespace {

void check_memory(runtime::DeviceState& device, const DeviceMemory& memory) {
  if (memory.total_bytes <= runtime::kMostMemoryBytes && memory.free_bytes <= memory.total_bytes) {
    return;
  }
  runtime::raise_bad_answer(
      device, "memory",
      fmt::format("info gave {} free of {} bytes", memory.free_bytes, memory.total_bytes));
}

}  // namespace

DeviceMemory Device::memory(MemoryKind kind) const {
  const auto call = state().enter("memory");
  DeviceMemory result;
  if (!state().ask_memory(result.free_bytes, result.total_bytes)) {
    patchbay_device* opened = state().open("memory");
    base::check(state().plugin.tables.memory.info(opened, &result.free_bytes, &result.total_bytes),
                "memory", state().info.name_text);
  }
  check_memory(state(), result);
  state().allocator->of(kind).fill(result);
  return result;
}

void Device::trim_memory() const {
  runtime::check_no_callback("trim_memory");
  const auto call = state().enter("trim_memory");
  state().allocator->trim();
}

void Device::set_memory_limit(std::size_t size_bytes) const {
  state().check_home("set_memory_limit");
  state().allocator->of(MemoryKind::kDevice).set_limit(size_bytes);
}

void Device::set_memory_resource(const std::shared_ptr<MemoryResource>& resource) const {
  const auto call = state().enter("set_memory_resource");
  state().open("set_memory_resource");
  const bool caches = resource == nullptr && state().caches_memory();
  state().allocator->set_source(resource, caches);
}

}  // namespace patchbay

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/device.h"

#include <ostream>

#include "patchbay/runtime.h"
#include "patchbay/stream.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/memory/allocator.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/search/arrival.h"
#include "core/runtime/stream/stream_scope.h"

namespace patchbay {

std::string_view to_string(DeviceKind kind) {
  return kind == DeviceKind::kCpu ? "cpu" : "accelerator";
}

Device::Device(std::string_view name) : Device(Runtime::get_default().device(name)) {}

void Device::raise_undefined() {
  runtime::raise(ErrorCode::kInvalidArgument,
                 "[Device] undefined device: expected a device, got a default-constructed or "
                 "moved-from handle. Name one, for example Device(\"cpu:0\").");
}

const std::string& Device::name() const { return state().info.name_text; }
const std::string& Device::backend() const { return state().info.name.backend; }
int Device::index() const { return state().info.name.index; }
DeviceKind Device::kind() const { return state().info.properties.kind; }
const DeviceProperties& Device::properties() const { return state().info.properties; }

Runtime Device::runtime() const { return Runtime(state().runtime.shared_from_this()); }

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
    runtime::check(
        state().plugin.tables.memory.info(opened, &result.free_bytes, &result.total_bytes),
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

Stream Device::default_stream() const {
  state().open("default_stream");
  return Stream(std::shared_ptr<runtime::StreamState>(shared_state(), state().default_stream));
}

void Device::synchronize(std::chrono::nanoseconds timeout) const {
  runtime::check_no_callback("synchronize");
  runtime::check_not_recording("synchronize");
  const std::uint64_t deadline = runtime::deadline_after(timeout.count());
  const auto call = state().enter("synchronize");
  state().open("synchronize");
  state().synchronize(deadline);
}

std::ostream& operator<<(std::ostream& out, const Device& device) {
  return out << (device.defined() ? std::string_view(device.name()) : "undefined");
}

}  // namespace patchbay

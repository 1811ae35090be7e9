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
#include "core/runtime/plugin/arrival.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/stream_scope.h"

namespace patchbay {

std::string_view to_string(DeviceKind kind) {
  return kind == DeviceKind::kCpu ? "cpu" : "accelerator";
}

Device::Device() : Device("cpu:0") {}

Device::Device(std::string_view name) : Device(Runtime::get_default().device(name)) {}

const std::string& Device::name() const { return state_->info.name_text; }
const std::string& Device::backend() const { return state_->info.name.backend; }
int Device::index() const { return state_->info.name.index; }
DeviceKind Device::kind() const { return state_->info.properties.kind; }
const DeviceProperties& Device::properties() const { return state_->info.properties; }

Runtime Device::runtime() const { return Runtime(state_->runtime.shared_from_this()); }

DeviceMemory Device::memory(MemoryKind kind) const {
  DeviceMemory result;
  patchbay_device* opened = state_->open("memory");
  state_->allocator->of(kind).fill(result);
  runtime::check(state_->plugin.tables.memory.info(opened, &result.free_bytes, &result.total_bytes),
                 "memory", state_->info.name_text);
  if (result.total_bytes > runtime::kMostMemoryBytes || result.free_bytes > result.total_bytes) {
    runtime::raise_bad_answer(
        *state_, "memory",
        fmt::format("info gave {} free of {} bytes", result.free_bytes, result.total_bytes));
  }
  return result;
}

void Device::trim_memory() const {
  state_->check_home("trim_memory");
  state_->allocator->trim();
}

void Device::set_memory_limit(std::size_t size_bytes) const {
  state_->allocator->of(MemoryKind::kDevice).set_limit(size_bytes);
}

void Device::set_memory_resource(std::shared_ptr<MemoryResource> resource) const {
  state_->open("set_memory_resource");
  const bool caches = resource == nullptr && state_->caches_memory();
  for (const MemoryKind kind : {MemoryKind::kDevice, MemoryKind::kPinned}) {
    state_->allocator->of(kind).set_source(resource, caches);
  }
}

Stream Device::default_stream() const {
  state_->open("default_stream");
  return Stream(std::shared_ptr<runtime::StreamState>(state_, state_->default_stream));
}

void Device::synchronize(std::chrono::nanoseconds timeout) const {
  runtime::check_no_callback("synchronize");
  runtime::check_not_recording("synchronize");
  const std::uint64_t deadline = runtime::deadline_after(timeout.count());
  state_->open("synchronize");
  state_->synchronize(deadline);
}

std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.name(); }

}  // namespace patchbay

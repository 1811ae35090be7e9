// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The public state of threads.
#include "core/runtime/device/context.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "patchbay/device.h"
#include "patchbay/runtime.h"

#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/runtime/registry/loaded_runtime.h"
#include "core/runtime/stream/stream_scope.h"

namespace patchbay {

using runtime::context;

namespace {

/// The device of set_default_device. Never destroyed: no plugin is called while the process ends. A
/// child of fork can't use its parent's devices, so it starts without one.
struct ProcessDevice {
  std::atomic<bool> is_set{};
  std::mutex mutex;
  std::shared_ptr<runtime::DeviceState> device;  // under `mutex`
};
constinit runtime::OfProcess<ProcessDevice> process_device;

}  // namespace

Device default_device() {
  if (const auto& scoped = context().device) return Device(scoped);
  ProcessDevice* const process = process_device.find();
  if (process != nullptr && process->is_set.load(std::memory_order_acquire)) {
    const std::scoped_lock lock(process->mutex);
    return Device(process->device);
  }
  runtime::PluginRegistry& registry = runtime::registry_of(Runtime::get_default().state());
  const runtime::PluginRegistry::Reading reading(registry);
  return Device(registry.default_device().shared());
}

void set_default_device(const Device& device) {
  device.state().check_home("set_default_device");
  ProcessDevice& process = process_device.get();
  std::shared_ptr<runtime::DeviceState> previous = device.shared_state();
  {
    const std::scoped_lock lock(process.mutex);
    process.device.swap(previous);
    process.is_set.store(true, std::memory_order_release);
  }
  // The device's runtime may end here, after the lock is released.
}

DefaultDeviceScope::DefaultDeviceScope(const Device& device)
    : previous_(std::exchange(context().device, device.shared_state())) {}
DefaultDeviceScope::~DefaultDeviceScope() { context().device = std::move(previous_); }

CopyTag::CopyTag(std::string tag) : previous_(std::exchange(context().tag, std::move(tag))) {}
CopyTag::~CopyTag() { context().tag = std::move(previous_); }

CopyGuard::CopyGuard(Mode mode) : previous_(context().guard) {
  runtime::check_in_enum("CopyGuard", "mode", "CopyGuard::Mode", mode, Mode::kForbid);
  context().guard = mode;
}
CopyGuard::~CopyGuard() { context().guard = previous_; }

ThreadContext ThreadContext::current() {
  runtime::check_not_recording("ThreadContext");  // the recording can't move to another thread
  ThreadContext result;
  result.device_ = context().device;
  result.tag_ = context().tag;
  result.guard_ = context().guard;
  result.streams_ = context().streams;
  result.bits_ = runtime::carried_bits;
  return result;
}

ThreadContext::Scope::Scope(const ThreadContext& carried)
    : previous_(std::make_unique<ThreadContext>(current())) {
  context() = {carried.device_, carried.tag_, carried.guard_, context().streams};
  runtime::exchange_streams(carried.streams_);
  runtime::carried_bits = carried.bits_;
}
ThreadContext::Scope::~Scope() {
  context() = {std::move(previous_->device_), std::move(previous_->tag_), previous_->guard_,
               context().streams};
  runtime::exchange_streams(std::move(previous_->streams_));
  runtime::carried_bits = previous_->bits_;
}

}  // namespace patchbay

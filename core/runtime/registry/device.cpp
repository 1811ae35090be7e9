// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Finds devices by name, and the default one; opens one in the application's context.
#include "patchbay/device.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "patchbay/interop.h"
#include "patchbay/runtime.h"

#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/runtime/device/context.h"
#include "core/runtime/registry/loaded_runtime.h"

namespace patchbay {

using runtime::context;

Device::Device(std::string_view name) : Device(Runtime::get_default().device(name)) {}

namespace {

/// The device of set_default_device. Never destroyed: no plugin is called while the process ends. A
/// child of fork can't use its parent's devices, so it starts without one.
struct ProcessDevice {
  std::atomic<bool> is_set{};
  std::mutex mutex;
  std::shared_ptr<runtime::DeviceState> device;  // under `mutex`
};
constinit base::OfProcess<ProcessDevice> process_device;

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

void adopt_context(const Device& device, std::uint64_t native_context) {
  if (native_context == 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[adopt_context] null context: expected the driver's own, got 0 ({}). Leave it "
                "out, and the device opens in a context of its own.",
                device.name());
  }
  static_cast<runtime::DeviceAssembly&>(device.state()).open_in(native_context);
}

}  // namespace patchbay

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The public class Runtime.
#include "patchbay/runtime.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "patchbay/copy.h"

#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/output/delivery.h"
#include "core/runtime/plugin/loader.h"
#include "core/runtime/registry/loaded_runtime.h"

namespace patchbay {

using runtime::registry_of;

namespace {

using Reading = runtime::PluginRegistry::Reading;

std::vector<Device> handles(const std::vector<runtime::DeviceAssembly*>& states) {
  std::vector<Device> result;
  result.reserve(states.size());
  for (runtime::DeviceAssembly* state : states) result.emplace_back(state->shared());
  return result;
}

}  // namespace

Runtime::Runtime(const RuntimeOptions& options) : state_(runtime::LoadedRuntime::make(options)) {}

namespace {

/// Never destroyed: devices may be used until the process ends.
struct DefaultRuntime {
  output::NoDeliveryMutex mutex;
  std::atomic<Runtime*> runtime{};  // null until its first use; made under `mutex`
};
constinit base::OfProcess<DefaultRuntime> default_runtime;
/// Null unless options were set. A child of fork inherits its parent's.
constinit std::atomic<const RuntimeOptions*> default_options{nullptr};

}  // namespace

Runtime& Runtime::get_default() {
  DefaultRuntime& own = default_runtime.get();
  if (Runtime* const made = own.runtime.load(std::memory_order_acquire)) return *made;
  const std::scoped_lock lock(own.mutex);
  if (own.runtime.load(std::memory_order_relaxed) == nullptr) {
    const RuntimeOptions* const options = default_options.load(std::memory_order_acquire);
    runtime::keep_own_library_loaded();
    own.runtime.store(new Runtime(options != nullptr ? *options : RuntimeOptions{}),
                      std::memory_order_release);
  }
  return *own.runtime.load(std::memory_order_relaxed);
}

void Runtime::set_default_options(RuntimeOptions options) {
  DefaultRuntime& own = default_runtime.get();
  auto given = std::make_unique<const RuntimeOptions>(std::move(options));
  const std::scoped_lock lock(own.mutex);
  if (own.runtime.load(std::memory_order_relaxed) != nullptr) {
    base::raise(ErrorCode::kInUse,
                "[set_default_options] the default runtime exists already. Set its options "
                "before it is first used, at the start of main, or make a Runtime of your own.");
  }
  delete default_options.exchange(given.release(), std::memory_order_acq_rel);
}

PluginInfo Runtime::load(const std::filesystem::path& file,
                         const std::map<std::string, std::string>& settings) const {
  return registry_of(*state_).load(file, settings);
}

Device Runtime::device(std::string_view name) const { return Device(state_->find(name)); }

std::vector<Device> Runtime::devices() const {
  const Reading reading(registry_of(*state_));
  return handles(registry_of(*state_).devices());
}

Device Runtime::first_cpu() const {
  const Reading reading(registry_of(*state_));
  return Device(registry_of(*state_).first_cpu().shared());
}

std::vector<Device> Runtime::gpus() const {
  const Reading reading(registry_of(*state_));
  return handles(registry_of(*state_).gpus());
}

Device Runtime::try_gpu(int i) const {
  if (i < 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[try_gpu] bad index: expected 0 or more, got {}. try_gpu(0) is the first.", i);
  }
  const Reading reading(registry_of(*state_));
  const auto found = registry_of(*state_).gpus();
  if (static_cast<std::size_t>(i) >= found.size()) return first_cpu();
  return Device(found[static_cast<std::size_t>(i)]->shared());
}

std::vector<Device> Runtime::try_all_gpus() const {
  std::vector<Device> found = gpus();
  if (found.empty()) found.push_back(first_cpu());
  return found;
}

std::vector<PluginInfo> Runtime::plugins() const { return registry_of(*state_).plugins(); }

std::vector<std::filesystem::path> Runtime::plugin_directories() const {
  return registry_of(*state_).directories();
}

std::string Runtime::explain() const { return registry_of(*state_).explain(); }

void Runtime::unload(std::string_view plugin_name) { registry_of(*state_).unload(plugin_name); }

void Runtime::set_out_of_memory_callback(OutOfMemoryCallback callback) const {
  runtime::LoadedRuntime::of(*state_).set_out_of_memory_callback(std::move(callback));
}

void Runtime::calibrate(const Device& device) const {
  patchbay::calibrate(Endpoint::host(), device);
  patchbay::calibrate(device, Endpoint::host());
  patchbay::calibrate(device, device);
  for (const Device& other : devices()) {
    if (other == device) continue;
    patchbay::calibrate(device, other);
    patchbay::calibrate(other, device);
  }
}

void Runtime::calibrate() const {
  for (const Device& from : devices()) {
    patchbay::calibrate(Endpoint::host(), from);
    patchbay::calibrate(from, Endpoint::host());
    for (const Device& to : devices()) patchbay::calibrate(from, to);
  }
}

Ledger& Runtime::ledger() const { return state_->ledger; }

int num_gpus() { return Runtime::get_default().num_gpus(); }
Device first_cpu() { return Runtime::get_default().first_cpu(); }
Device try_gpu(int i) { return Runtime::get_default().try_gpu(i); }
std::vector<Device> try_all_gpus() { return Runtime::get_default().try_all_gpus(); }

}  // namespace patchbay

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/registry/loaded_runtime.h"

#include <map>
#include <string>
#include <utility>

#include "core/base/cancellation.h"
#include "core/base/error.h"
#include "core/runtime/registry/driver_lock.h"
#include "core/runtime/stream/stream_scope.h"

namespace patchbay::runtime {
namespace {

base::Environment read_environment(const RuntimeOptions& options) {
  std::map<std::string, std::string> settings = options.settings;
  if (options.flush_subnormals) settings["flush_subnormals"] = "1";  // plugins read it
  const DriverLock no_plugin_is_opened;
  return {std::move(settings), options.read_environment};
}

}  // namespace

LoadedRuntime::LoadedRuntime(const RuntimeOptions& options, base::Environment read)
    : RuntimeState(options, std::move(read), links_, transfer_, host_copier_),
      host_copier_(thread_pool, environment),
      registry(*this, options) {
  if (const auto file = environment.get("trace"); file && !file->empty()) tracing.start(*file);
  if (environment.is_on("profile")) tracing.print_profile_at_end();
}

std::shared_ptr<RuntimeState> LoadedRuntime::make(const RuntimeOptions& options) {
  const base::CancellationOff not_cancelled;
  const std::shared_ptr<LoadedRuntime> made(new LoadedRuntime(options, read_environment(options)),
                                            DeleteOutsideCallbacks());
  made->registry.find_plugins(options);
  return made;
}

void LoadedRuntime::set_out_of_memory_callback(OutOfMemoryCallback callback) {
  home.check("set_out_of_memory_callback", "every device");
  auto shared =
      callback ? std::make_shared<const OutOfMemoryCallback>(std::move(callback)) : nullptr;
  const std::scoped_lock lock(mutex_);
  on_out_of_memory_.swap(shared);
}

bool LoadedRuntime::ask_for_memory(DeviceState& device, std::size_t size_bytes) {
  thread_local bool is_asking = false;
  std::shared_ptr<const OutOfMemoryCallback> callback;
  {
    const std::scoped_lock lock(mutex_);
    callback = on_out_of_memory_;
  }
  if (callback == nullptr || is_asking || DriverLock::is_here()) return false;
  struct Asking {
    Asking() { is_asking = true; }
    ~Asking() { is_asking = false; }
  } const asking;
  (*callback)(Device(device.shared()), size_bytes);
  return true;
}

void LoadedRuntime::finish_copies_for_memory(const DeviceState& device) {
  const base::CancellationOff not_cancelled;
  transfer_.finish_for_memory(device);
}

}  // namespace patchbay::runtime

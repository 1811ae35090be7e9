// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A runtime with all of its parts.
#ifndef PATCHBAY_CORE_RUNTIME_REGISTRY_LOADED_RUNTIME_H_
#define PATCHBAY_CORE_RUNTIME_REGISTRY_LOADED_RUNTIME_H_

#include <memory>
#include <mutex>

#include "core/runtime/copy/host_copier.h"
#include "core/runtime/copy/links.h"
#include "core/runtime/copy/transfer.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/registry/plugin_registry.h"

namespace patchbay::runtime {

class LoadedRuntime final : public RuntimeState {
 public:
  /// Finds the plugins and opens those named in code. Errors: those of Runtime.
  static std::shared_ptr<RuntimeState> make(const RuntimeOptions& options);
  /// Every RuntimeState is a LoadedRuntime.
  static LoadedRuntime& of(RuntimeState& state) { return static_cast<LoadedRuntime&>(state); }

  void set_out_of_memory_callback(OutOfMemoryCallback callback);

  std::shared_ptr<DeviceState> find(std::string_view name) override {
    const PluginRegistry::Reading reading(registry);
    return registry.find(name).shared();
  }
  bool ask_for_memory(DeviceState& device, std::size_t size_bytes) override;
  void finish_copies_for_memory(const DeviceState& device) override;

 private:
  LoadedRuntime(const RuntimeOptions& options, base::Environment environment);

  Links links_;
  HostCopier host_copier_;
  Transfer transfer_;
  std::mutex mutex_;
  std::shared_ptr<const OutOfMemoryCallback> on_out_of_memory_;  // under mutex_

 public:
  PluginRegistry registry;  // closed first
};

inline PluginRegistry& registry_of(RuntimeState& state) {
  return LoadedRuntime::of(state).registry;
}

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_REGISTRY_LOADED_RUNTIME_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A candidate and, once it is loaded, its devices.
#ifndef PATCHBAY_CORE_RUNTIME_REGISTRY_BACKEND_H_
#define PATCHBAY_CORE_RUNTIME_REGISTRY_BACKEND_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/registry/device_assembly.h"
#include "core/runtime/registry/visible_devices.h"

namespace patchbay::runtime {

struct Backend final : PluginState {
  using PluginState::PluginState;
  ~Backend() override;

  /// Opens the plugin, wrapped by validation if the runtime validates, and makes its devices. Calls
  /// `finish`.
  void open(const Inspection& inspection, RuntimeState& runtime,
            const VisibleDevices& visible_devices);
  /// The device with the plugin's own number; null if there is none, or the plugin is still being
  /// loaded. For the plugin's threads too.
  DeviceAssembly* find(std::uint32_t plugin_index) const;
  patchbay_memory allocate_scratch(std::uint32_t device_index, std::uint64_t size_bytes) override;
  void free_scratch(std::uint32_t device_index, patchbay_memory memory) noexcept override;
  /// Describes everything that lives on its devices.
  std::string holders() const;
  /// "fake:0, fake:1 (hidden)"
  std::string device_list() const;
  /// Several lines: the status of the file, and its devices.
  std::string explain() const;
  /// Whether the program has handles to its devices, or validation has something to report of it.
  bool is_wanted() const;
  /// Closes devices, driver and library.
  void close_all() noexcept;

  std::vector<std::unique_ptr<DeviceAssembly>> assemblies;

 private:
  std::atomic<bool> is_assembled_{false};  // the vector does not change any more
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_REGISTRY_BACKEND_H_

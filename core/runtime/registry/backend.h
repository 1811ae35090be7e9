// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A candidate and, once it is loaded, the devices that its plugin shows.
#ifndef PATCHBAY_CORE_RUNTIME_REGISTRY_BACKEND_H_
#define PATCHBAY_CORE_RUNTIME_REGISTRY_BACKEND_H_

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
  ~Backend();

  /// Opens the plugin, with validation between it and the core if the runtime validates, and makes
  /// its devices. Ends in `finish`.
  void open(const Inspection& inspection, RuntimeState& runtime,
            const VisibleDevices& visible_devices);
  /// By the plugin's own number; null if there is none.
  DeviceAssembly* find(std::uint32_t plugin_index) const;
  /// Everything that lives on its devices, in words.
  std::string holders() const;
  /// "fake:0, fake:1 (hidden)"
  std::string device_list() const;
  /// Several lines: what became of the file, and its devices.
  std::string explain() const;
  /// Closes devices, driver and library.
  void close_all() noexcept;

  std::vector<std::unique_ptr<DeviceAssembly>> assemblies;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_REGISTRY_BACKEND_H_

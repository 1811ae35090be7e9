// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The driver and the devices of a plugin's file.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_STATE_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_STATE_H_

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/runtime.h"

#include "core/runtime/plugin/call_gate.h"
#include "core/runtime/plugin/device_info.h"
#include "core/runtime/plugin/plugin_file.h"
#include "core/runtime/plugin/plugin_tables.h"
#include "core/runtime/plugin/table_layer.h"

namespace patchbay::runtime {

/// A plugin that registers devices.
struct PluginState : PluginFile {
  using PluginFile::PluginFile;
  ~PluginState() override;

  /// Opens the library and the driver and enumerates the devices. Calls finish().
  void load(const Inspection& inspection);
  /// Registers the driver's `stop`, if it has one, to run at the end of the process before anything
  /// set up so far is destroyed. Called again when the driver may have set up more, such as a
  /// compiler.
  void heed_process_end() const;
  /// Closes the driver and the library. The devices are closed already.
  void close() noexcept;

  /// An extension's table, for one of the plugin's devices or for all; null if the plugin does not
  /// have it. A table of fewer bytes, or with a null entry, is logged and ignored.
  const void* extension(std::string_view extension_name, std::uint64_t least_bytes,
                        std::optional<std::uint32_t> device_index, std::uint32_t number = 1) const;
  PluginInfo info() const;

  PluginTables tables;
  patchbay_driver* driver = nullptr;
  CallGate calls;
  std::unique_ptr<TableLayer> layer;  // null unless the runtime validates
  std::vector<std::unique_ptr<const DeviceInfo>> devices;

 private:
  std::string open_tables(const Inspection& inspection);
  /// Returns what the plugin threw, or nothing.
  std::string warn_reserved() const;
  /// With the setting `ranges`: lets the plugin show the runtime's spans. Returns what it threw.
  std::string show_ranges();
  /// Asks a plugin that is being loaded. Returns what it threw, or nothing.
  std::string ask_extension(std::string_view extension_name,
                            std::optional<std::uint32_t> device_index, const void*& table) const;
  const void* find_extension(std::string_view extension_name,
                             std::optional<std::uint32_t> device_index, std::uint32_t number) const;
  /// The table, or null with a warning if it has fewer bytes or a null entry.
  const void* whole(const void* table, std::string_view extension_name,
                    std::uint64_t least_bytes) const;
  /// Of a plugin that is watched: logs what is wrong with its extensions, also those that the
  /// program does not use. Returns what it threw, or nothing.
  std::string examine_extensions() const;
  bool enumerate();
  /// The result of an enumeration so far.
  struct Found {
    std::string bad;
    std::exception_ptr error;
  };
  void begin_enumeration(Found* found);
  static void note_device(void* user, const patchbay_device_properties* properties);
  /// Returns what is wrong with the device, or nothing.
  std::string add_device(const patchbay_device_properties& properties);

  std::mutex enumeration_mutex_;
  Found* enumeration_ = nullptr;           // null unless `enumerate` is running
  std::shared_ptr<RangeReceiver> ranges_;  // null unless the plugin shows the runtime's spans
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_STATE_H_

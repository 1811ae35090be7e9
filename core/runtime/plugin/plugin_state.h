// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One candidate of one runtime: what became of it, and, if it loaded, its driver and what that says
// of its devices.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_STATE_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_STATE_H_

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/runtime.h"

#include "core/runtime/plugin/device_info.h"
#include "core/runtime/plugin/host.h"
#include "core/runtime/plugin/loader.h"
#include "core/runtime/plugin/plugin_owner.h"
#include "core/runtime/plugin/plugin_tables.h"
#include "core/runtime/plugin/table_layer.h"
#include "core/runtime/search/candidate.h"

namespace patchbay::runtime {

struct PluginState {
  /// `settings` are for this plugin alone, before the runtime's.
  PluginState(PluginOwner& owner, Candidate candidate,
              const std::map<std::string, std::string>& settings);
  ~PluginState();
  PluginState(const PluginState&) = delete;
  PluginState& operator=(const PluginState&) = delete;

  void set_status(PluginStatus outcome, std::string why);
  std::string describe_status() const;
  /// Sets the status and logs it.
  void finish(PluginStatus outcome, std::string why);
  /// Opens the library, agrees on the tables, opens the driver and enumerates. Ends in finish().
  void load(const Inspection& inspection);
  /// Has the driver told of the end of the process, if it wants to know, before anything that was
  /// set up so far is taken down. Called again where a driver may have set up more: a compiler,
  /// say.
  void heed_process_end() const;
  /// Closes driver and library. The devices are closed.
  void close() noexcept;

  /// Logs a setting that the plugin asks for and does not declare: nobody can set it.
  void warn_undeclared(std::string_view setting) const;
  bool is_loaded() const { return status == PluginStatus::kLoaded; }
  PluginInfo info() const;

  PluginOwner& owner;
  const Candidate candidate;
  const std::map<std::string, std::string> own_settings;  // for this plugin alone
  const Environment environment;
  PluginStatus status = PluginStatus::kFailed;
  std::string reason;
  std::string name, backend, version;
  FileId file;
  std::optional<std::vector<std::string>> settings;  // that its note declares

  std::shared_ptr<Library> library;
  PluginTables tables;
  HostTable host;
  patchbay_driver* driver = nullptr;
  std::unique_ptr<TableLayer> layer;  // null unless the runtime validates
  std::vector<std::unique_ptr<const DeviceInfo>> devices;

 private:
  std::string open_tables(const Inspection& inspection);
  bool open_driver();
  bool enumerate();
  /// What an enumeration has come to.
  struct Found {
    std::string bad;
    std::exception_ptr error;
  };
  void begin_enumeration(Found* found);
  static void note_device(void* user, const patchbay_device_properties* properties);
  /// Empty, or what is wrong with it.
  std::string add_device(const patchbay_device_properties& properties);

  std::mutex enumeration_mutex_;
  Found* enumeration_ = nullptr;  // null unless `enumerate` is being called
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_STATE_H_

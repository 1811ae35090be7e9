// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One file of a plugin in one runtime, whatever the plugin is for: where it was found, what became
// of it, its library, and the host table that it was given.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_FILE_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_FILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/tables.h"
#include "patchbay/runtime.h"

#include "core/base/environment.h"
#include "core/runtime/plugin/host.h"
#include "core/runtime/plugin/loader.h"
#include "core/runtime/plugin/plugin_owner.h"
#include "core/runtime/search/candidate.h"

namespace patchbay::runtime {

/// What a failure of a plugin's `open` or `enumerate` makes of it.
PluginStatus status_of(std::int32_t code);

struct PluginFile {
  /// `settings` apply to this plugin alone and take precedence over the runtime's.
  PluginFile(PluginOwner& owner, Candidate candidate,
             const std::map<std::string, std::string>& settings);
  virtual ~PluginFile() = default;
  PluginFile(const PluginFile&) = delete;
  PluginFile& operator=(const PluginFile&) = delete;

  void set_status(PluginStatus outcome, std::string why);
  std::string describe_status() const;
  /// Sets the status and logs it.
  void finish(PluginStatus outcome, std::string why);
  /// Warns of a setting that the plugin reads but does not declare: nobody can set it.
  void warn_undeclared(std::string_view setting) const;
  bool is_loaded() const { return status == PluginStatus::kLoaded; }
  /// Whether the program asked for a watch of this plugin's calls.
  bool is_watched() const { return environment.get("watch_plugin") == name; }

  /// Memory for the plugin's own use, on its device with that number. For the plugin's threads too.
  /// Errors: kInvalidArgument if it has no such device; kOutOfMemory.
  virtual patchbay_memory allocate_scratch(std::uint32_t device_index, std::uint64_t size_bytes);
  virtual void free_scratch(std::uint32_t device_index, patchbay_memory memory) noexcept;

  PluginOwner& owner;
  const Candidate candidate;
  const std::map<std::string, std::string> own_settings;  // for this plugin alone
  const base::Environment environment;
  PluginStatus status = PluginStatus::kFailed;
  std::string reason;
  std::string name, backend, version;
  ProbeOrigin probe = ProbeOrigin::kNone;
  std::vector<std::string> changes;  // of the process, as the probe saw
  FileId file;
  std::optional<std::vector<std::string>> settings;  // as declared in its note
  std::shared_ptr<Library> library;
  HostTable host;

 protected:
  /// Takes the version from the table. Returns what is wrong if its names are not the note's.
  std::string check_own_names(const patchbay_plugin& table);
  /// Opens the plugin's driver, once in a process and its children. Null after finish().
  patchbay_driver* open_driver(const patchbay_plugin& table);
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_FILE_H_

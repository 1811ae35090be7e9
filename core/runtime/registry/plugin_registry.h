// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The plugins of one runtime, and their devices by name.
#ifndef PATCHBAY_CORE_RUNTIME_REGISTRY_PLUGIN_REGISTRY_H_
#define PATCHBAY_CORE_RUNTIME_REGISTRY_PLUGIN_REGISTRY_H_

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/runtime.h"

#include "core/runtime/registry/backend.h"

namespace patchbay::runtime {

/// A plugin is opened when one of its devices is asked for, or when devices are listed. Until then
/// its status is kFound. Thread-safe.
class PluginRegistry {
 public:
  using Settings = std::map<std::string, std::string>;

  /// Errors: kInvalidArgument for bad settings.
  PluginRegistry(RuntimeState& runtime, const RuntimeOptions& options);
  ~PluginRegistry();
  PluginRegistry(const PluginRegistry&) = delete;
  PluginRegistry& operator=(const PluginRegistry&) = delete;

  /// Looks at every candidate, and opens those that are named in code. Errors: kPluginFailed for
  /// one of these; kInvalidArgument for unknown names.
  void find_plugins(const RuntimeOptions& options);
  /// Opens one more. Errors: as find_plugins.
  PluginInfo load(const std::filesystem::path& file, Settings settings);
  /// Closes one, or keeps it from being opened. Errors: kInvalidArgument for an unknown name;
  /// kInUse, which lists the holders.
  void unload(std::string_view plugin_name);

  /// Opens the backend's plugin if need be. Errors: kUnknownDevice, which says what there is.
  DeviceAssembly& find(std::string_view name);
  /// That of the setting `device`, else cpu:0.
  DeviceAssembly& default_device();
  /// The visible ones. Opens every plugin.
  std::vector<DeviceAssembly*> devices();
  /// Accelerators, each physical card once. Opens every plugin.
  std::vector<DeviceAssembly*> gpus();
  /// Several lines of text. Opens every plugin.
  std::string explain();
  /// Opens none.
  std::vector<PluginInfo> plugins() const;
  /// Those that are open.
  std::vector<Backend*> loaded() const;
  /// Those that are open or were, where the runtime validates.
  std::vector<Backend*> validated() const;
  const std::vector<std::filesystem::path>& directories() const { return directories_; }

 private:
  class Turn;

  /// Names of the list of visible devices that no device bears.
  std::vector<std::string> unmatched_visible_devices() const;
  /// Looks at a file without opening it. Ends in kFound, kFiltered, kRefused or kShadowed.
  /// `itself` is the entry of the file, if it has one; `seen` is given what was found in it.
  std::unique_ptr<Backend> look_at(const Candidate& candidate, const Settings& settings,
                                   const Backend* itself = nullptr,
                                   Inspection* seen = nullptr) const;
  /// Looks at the file and opens it, unless there is a reason not to.
  std::unique_ptr<Backend> opened(const Candidate& candidate, const Settings& settings,
                                  const Backend* itself = nullptr);
  const Backend& add(std::unique_ptr<Backend> backend);
  /// Opens a plugin that is named in code, and adds it. Errors: kPluginFailed.
  PluginInfo add_named(const Candidate& candidate, const Settings& settings);
  /// Opens the plugins of the backend that are not open, in order, until one is loaded. Empty:
  /// those of every backend that are only found.
  void open_found(std::string_view backend);
  std::optional<std::size_t> next_closed(std::string_view backend, std::size_t from) const;
  void open_at(std::size_t index);
  void open_all();
  void shadow_others(const Backend& loaded);
  /// Empty, or why this file can't be used beside those that are there.
  std::string find_rival(const Backend& plugin, const Backend* itself) const;
  void log_ignored(const RuntimeOptions& options);
  /// Waits until nothing uses freed memory (it may be of another plugin), and gives it back.
  void settle() noexcept;
  /// Null if the backend's plugin is not loaded.
  Backend* find_loaded(std::string_view backend) const;
  DeviceAssembly& find_in(const Backend& backend, const DeviceName& name) const;
  DeviceAssembly& find_gpu(const DeviceName& name, std::string_view text);
  [[noreturn]] void raise_unknown_backend(const DeviceName& name) const;

  RuntimeState& runtime_;
  std::string default_device_name_;  // empty if the setting `device` is not given
  VisibleDevices visible_devices_;
  std::vector<std::string> wanted_plugins_;
  std::vector<std::filesystem::path> directories_;
  std::atomic<bool> has_listed_{false};  // the devices, at least once
  std::mutex load_mutex_;                // one plugin at a time; taken before mutex_
  mutable std::mutex mutex_;
  // Grows. What is only found is replaced when it is opened; nobody keeps a reference to it.
  std::vector<std::unique_ptr<Backend>> backends_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_REGISTRY_PLUGIN_REGISTRY_H_

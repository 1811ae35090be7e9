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

#include "core/base/cancellation.h"
#include "core/output/delivery.h"
#include "core/runtime/plugin/engine_state.h"
#include "core/runtime/probe/verdict.h"
#include "core/runtime/registry/backend.h"

namespace patchbay::runtime {

/// Opens a plugin when one of its devices, or a list of devices, is requested; its status is kFound
/// until then. Thread-safe.
class PluginRegistry {
 public:
  using Settings = std::map<std::string, std::string>;

  /// Errors: kInvalidArgument for bad settings.
  PluginRegistry(RuntimeState& runtime, const RuntimeOptions& options);
  ~PluginRegistry();
  PluginRegistry(const PluginRegistry&) = delete;
  PluginRegistry& operator=(const PluginRegistry&) = delete;

  /// Inspects every candidate and opens those named in code. Errors: kPluginFailed for one of
  /// these; kInvalidArgument for unknown names.
  void find_plugins(const RuntimeOptions& options);
  /// Opens another plugin. Errors: as find_plugins.
  PluginInfo load(const std::filesystem::path& file, const Settings& settings);
  /// Closes a plugin, or prevents it from being opened. Errors: kInvalidArgument for an unknown
  /// name; kInUse, which lists the holders.
  void unload(std::string_view plugin_name);

  /// Opens the backend's plugin if necessary. The caller has a Reading until it has made a handle,
  /// here and below. Errors: kUnknownDevice, which lists known devices.
  DeviceAssembly& find(std::string_view name);
  /// The first visible CPU device whose memory the host can address. Errors: kUnknownDevice.
  DeviceAssembly& first_cpu();
  /// The device of the setting `device`, else first_cpu().
  DeviceAssembly& default_device();
  /// The visible devices. Opens every plugin.
  std::vector<DeviceAssembly*> devices();
  /// The engine of that backend for groups of processes. Opens its plugin if necessary. Errors:
  /// kUnsupported if there is none; kPluginFailed.
  EngineUse engine(std::string_view operation, std::string_view backend);
  /// Accelerators, each physical card once. Opens every plugin.
  std::vector<DeviceAssembly*> gpus();
  /// Several lines of text. Opens every plugin.
  std::string explain();
  /// Opens no plugin.
  std::vector<PluginInfo> plugins() const;
  /// Lives while a thread uses entries or devices that were returned without a handle, so that none
  /// is forgotten.
  class Reading {
   public:
    explicit Reading(const PluginRegistry& registry) noexcept : registry_(registry) {
      registry_.num_readings_.fetch_add(1, std::memory_order_acq_rel);
    }
    ~Reading() { registry_.num_readings_.fetch_sub(1, std::memory_order_acq_rel); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    const PluginRegistry& registry_;
  };
  /// The open plugins.
  std::vector<Backend*> loaded() const;
  /// All plugins that were opened, if the runtime validates.
  std::vector<Backend*> validated() const;
  const std::vector<std::filesystem::path>& directories() const { return directories_; }

 private:
  /// The right to inspect, open and close plugins.
  class LoadLock {
   public:
    explicit LoadLock(PluginRegistry& registry) : lock_(registry.load_mutex_) {}

   private:
    const base::CancellationOff
        not_cancelled_;  // plugins and drivers are half open or closed meanwhile
    const std::scoped_lock<output::NoDeliveryMutex> lock_;
  };

  /// Whether the file says that it moves data between processes.
  static bool is_engine(const Candidate& candidate);
  /// Inspects the file of an engine without opening it.
  EngineState& add_engine(const Candidate& candidate, const Settings& settings);
  void open_engine(EngineState& engine);
  /// Opens an engine that is named in code. Errors: kPluginFailed.
  PluginInfo load_engine(const Candidate& candidate, const Settings& settings);
  /// False if there is no engine of that name. Errors: kInUse.
  bool unload_engine(std::string_view plugin_name);

  /// Names in the list of visible devices that match no device.
  std::vector<std::string> unmatched_visible_devices() const;
  /// Inspects a file without opening it. Ends in kFound, kFiltered, kRefused or kShadowed. `itself`
  /// is the file's entry, if it has one; `seen` receives the inspection.
  std::unique_ptr<Backend> look_at(const Candidate& candidate, const Settings& settings,
                                   const Backend* itself = nullptr,
                                   Inspection* seen = nullptr) const;
  /// Inspects the file and opens it, unless there is a reason not to.
  std::unique_ptr<Backend> inspect_and_open(const Candidate& candidate, const Settings& settings,
                                            const Backend* itself = nullptr);
  /// In the place of the former entry, if one is given.
  const Backend& put(std::unique_ptr<Backend> backend, std::optional<std::size_t> former);
  /// The file's entry that a new attempt to open it replaces.
  std::optional<std::size_t> find_replaceable(const std::filesystem::path& path) const;
  const Backend* entry(std::size_t index) const;
  /// Drops entries of unloaded plugins whose file has a later entry and to which nobody refers.
  void forget_former();
  bool is_open(const std::filesystem::path& path) const;
  /// Opens and adds a plugin that is named in code. Errors: kPluginFailed.
  PluginInfo add_named(const Candidate& candidate, const Settings& settings);
  /// Opens the closed plugins of the backend in order until one loads. An empty name means every
  /// backend, but only plugins that were never opened.
  void open_all_of(std::string_view backend);
  /// Whether a plugin of the backend, or of any if the name is empty, is not opened yet.
  bool has_found(std::string_view backend) const;
  std::optional<std::size_t> next_closed(std::string_view backend, std::size_t from) const;
  void open_entry(std::size_t index);
  void open_all();
  void shadow_others(const Backend& loaded);
  /// Lets the plugins that it shadowed be opened. The caller holds mutex_.
  void end_shadow(const Backend& unloaded);
  /// Why the file can't be used beside the other plugins; empty if it can. The caller holds mutex_.
  std::string find_rival(const Backend& plugin, const Backend* itself) const;
  void log_ignored(const RuntimeOptions& options);
  /// Errors: kInUse in a call to a plugin that has called the program back.
  static void check_not_in_call(std::string_view plugin_name);
  Backend* find_to_unload(std::string_view plugin_name) const;
  /// The caller holds load_mutex_.
  void unload(Backend& backend);
  /// Waits until nothing uses freed memory (of any plugin), and releases it.
  void settle() noexcept;
  /// Null if no plugin of the backend is loaded.
  Backend* find_loaded(std::string_view backend) const;
  /// Whether the plugin was unloaded and its file has a later entry. The caller holds mutex_.
  bool is_former(std::size_t index) const;
  /// All plugins, without former ones. The caller holds mutex_.
  std::vector<const Backend*> listed() const;
  /// Opens the backend's plugin if necessary. Null if none can be opened.
  Backend* open_backend(const DeviceName& name);
  DeviceAssembly& find_in(const Backend& backend, const DeviceName& name) const;
  DeviceAssembly& find_gpu(const DeviceName& name, std::string_view text);
  /// Errors: kUnknownDevice if there are devices, of which a variable shows none.
  void check_any_visible() const;
  std::string describe_failed(std::string_view backend) const;
  [[noreturn]] void raise_unknown_backend(const DeviceName& name) const;

  RuntimeState& runtime_;
  std::string default_device_name_;  // empty if the setting `device` is not given
  VisibleDevices visible_devices_;
  std::vector<std::string> wanted_plugins_;
  std::string wanted_variable_;             // with its value, if they are from there
  std::vector<std::string> ignored_names_;  // a sentence for each
  std::vector<std::filesystem::path> directories_;
  TrustedFolders trusted_;
  Probe probe_;                          // used by the thread that opens a plugin
  std::atomic<bool> has_listed_{false};  // devices were listed at least once
  output::NoDeliveryMutex load_mutex_;   // one plugin at a time; taken before mutex_
  mutable std::mutex mutex_;
  mutable std::atomic<std::size_t> num_readings_{0};  // grows before the entries are read
  // Opening a file again replaces its entry, unless that has devices: it stays until no handle and
  // no Reading is left. Nobody keeps a reference to an entry without devices.
  std::vector<std::unique_ptr<Backend>> backends_;
  std::vector<std::unique_ptr<EngineState>> engines_;  // live as long as this
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_REGISTRY_PLUGIN_REGISTRY_H_

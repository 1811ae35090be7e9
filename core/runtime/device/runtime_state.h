// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Everything that one runtime owns.
#ifndef PATCHBAY_CORE_RUNTIME_DEVICE_RUNTIME_STATE_H_
#define PATCHBAY_CORE_RUNTIME_DEVICE_RUNTIME_STATE_H_

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/copy.h"
#include "patchbay/runtime.h"

#include "core/base/environment.h"
#include "core/base/fork.h"
#include "core/runtime/device/generator_state.h"
#include "core/runtime/copy/links.h"
#include "core/base/logger.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/trace/tracing.h"
#include "core/runtime/copy/transfer.h"

namespace patchbay::runtime {

/// Owned by the handles to it and to its devices. `plugins` grows, and the status of one changes,
/// under `mutex`; all else that is no object of its own stays as creation made it.
struct RuntimeState : std::enable_shared_from_this<RuntimeState> {
  explicit RuntimeState(const RuntimeOptions& options);
  ~RuntimeState();

  /// Tries every candidate. Errors: kPluginFailed for one named in code.
  void load_plugins(const RuntimeOptions& options);
  /// One more. Errors as load_plugins for one named in code.
  PluginInfo load(const std::filesystem::path& file, std::map<std::string, std::string> settings);
  void unload(std::string_view plugin_name);

  DeviceState& find(std::string_view name);
  /// That of the setting `device`, else cpu:0.
  DeviceState& default_device();
  std::vector<DeviceState*> devices() const;
  std::vector<DeviceState*> gpus() const;
  std::string explain() const;
  /// Calls the application's callback for want of memory. False: there is none, or it is what asks.
  bool ask_for_memory(DeviceState& device, std::size_t size_bytes);
  bool is_visible(const std::string& device_name) const;

  const HomeProcess home;
  const Environment environment;
  const bool sync;  // each submission is waited for
  const ThreadPool thread_pool;
  const bool validates;
  Logger logger;
  Ledger ledger;
  Links links;
  Transfer transfer;
  std::string default_device_name;  // empty if the setting `device` is not given
  std::vector<std::string> visible_devices;
  std::vector<std::string> wanted_plugins;
  std::vector<std::filesystem::path> directories;
  std::mutex load_mutex;  // one plugin at a time; taken before `mutex`
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<PluginState>> plugins;
  std::shared_ptr<const OutOfMemoryCallback> on_out_of_memory;  // under `mutex`
  Tracing tracing;
  /// Draws for operations that are given no generator.
  const std::shared_ptr<GeneratorState> generator = make_default_generator();

 private:
  /// Waits until nothing uses freed memory (it may be of another plugin), and gives it back.
  void settle() noexcept;
  /// Names of the list of visible devices that no device bears.
  std::vector<std::string> unmatched_visible_devices() const;
  /// Adds what became of it to `plugins`. Errors: kPluginFailed for one named in code.
  const PluginState& add(const Candidate& candidate,
                         const std::map<std::string, std::string>& settings);
  void try_plugin(PluginState& plugin);
  /// Empty, or why this one can't be used beside those that are loaded.
  std::string find_rival(const PluginState& plugin, const FileId& file) const;
  /// Errors: kInvalidArgument for a setting, variable or plugin name that nobody knows.
  void check_names(const RuntimeOptions& options, const std::vector<Candidate>& candidates) const;
  /// What the process is not given because it has raised privileges.
  void log_ignored(const RuntimeOptions& options);
  DeviceState& find_gpu(const DeviceName& name, std::string_view text);
  [[noreturn]] void raise_unknown_backend(const DeviceName& name) const;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_DEVICE_RUNTIME_STATE_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/device/runtime_state.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/runtime/plugin/arrival.h"
#include "core/base/error.h"
#include "core/runtime/plugin/loader.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/runtime/validation/layer.h"
#include "core/runtime/plugin/vocabulary.h"

namespace patchbay::runtime {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// The same physical card, whichever plugin shows it.
bool is_same_card(const DeviceState& a, const DeviceState& b) {
  if (&a.plugin == &b.plugin) return false;
  constexpr std::array<std::uint8_t, 16> kNone{};
  const DeviceProperties& left = a.properties;
  const DeviceProperties& right = b.properties;
  return (left.uuid != kNone && left.uuid == right.uuid) ||
         (!left.pci_address.empty() && left.pci_address == right.pci_address);
}

std::string device_list(const PluginState& plugin) {
  std::vector<std::string> names;
  for (const auto& device : plugin.devices) {
    names.push_back(device->name_text + (device->visible ? "" : " (hidden)"));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "fake" shows fake:0. The alias would name another device as soon as one is hidden.
std::string canonical_name(const std::string& text) {
  const DeviceName name = DeviceName::parse(text);
  if (name.backend == "gpu") {
    raise(ErrorCode::kInvalidArgument,
          "[Runtime] visible devices: expected devices' own names, got the alias {}. A valid list "
          "is 'cpu:0'.",
          quote(text));
  }
  return name.to_string();
}

/// Empty if the setting is not given. Looked up when it is needed: it may be of no interest.
std::string parse_default_device(const Environment& environment) {
  const std::string name = environment.get("device").value_or("");
  try {
    return name.empty() ? name : DeviceName::parse(name).to_string();
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{} Correct the setting 'device' (PATCHBAY_DEVICE).", error.what()));
  }
}

void check_memory_cache(const Environment& environment) {
  const auto setting = environment.get("memory_cache");
  if (!setting || setting->empty() || *setting == "on" || *setting == "off") return;
  raise(ErrorCode::kInvalidArgument,
        "[Runtime] setting 'memory_cache': expected on or off, got {}.", quote(*setting));
}

/// That of a runtime, from which on forks are noticed.
HomeProcess first_home() {
  watch_forks();
  return HomeProcess();
}

const ThreadPool& checked(const ThreadPool& pool) {
  if (pool.num_threads >= 0 && (pool.num_threads > 0) == static_cast<bool>(pool.parallel_for)) {
    return pool;
  }
  raise(ErrorCode::kInvalidArgument,
        "[Runtime] thread_pool: expected both num_threads and parallel_for or neither, got {} "
        "threads and {} function. Set both to lend threads.",
        pool.num_threads, pool.parallel_for ? "a" : "no");
}

}  // namespace

RuntimeState::RuntimeState(const RuntimeOptions& options)
    : home(first_home()),
      environment(options.settings, options.read_environment),
      sync(environment.is_on("sync")),
      thread_pool(checked(options.thread_pool)),
      validates(environment.is_on("validate")),
      logger(options.log, environment) {
  watch_process_end();
  check_memory_cache(environment);
  default_device_name = parse_default_device(environment);
  visible_devices = !options.visible_devices.empty() ? options.visible_devices
                                                     : environment.get_list("visible_devices");
  for (std::string& name : visible_devices) name = canonical_name(name);
  wanted_plugins = !options.plugins.empty() ? options.plugins : environment.get_list("plugins");
  directories = search_directories(options, environment);
  if (has_raised_privileges()) log_ignored(options);
  if (const auto file = environment.get("trace"); file && !file->empty()) tracing.start(*file);
}

void RuntimeState::log_ignored(const RuntimeOptions& options) {
  if (const auto names = environment.ignored_variables(); !names.empty()) {
    logger.log(LogLevel::kWarning, "[Runtime] raised privileges: ignored {}",
               one_line(fmt::format("{}", fmt::join(names, ", "))));
  }
  for (const auto& directory : options.plugin_directories) {
    if (is_allowed(directory)) continue;
    logger.log(LogLevel::kWarning, "[Runtime] raised privileges: ignored the plugin directory {}",
               quote(directory.string()));
  }
}

bool RuntimeState::is_visible(const std::string& device_name) const {
  return visible_devices.empty() || contains(visible_devices, device_name);
}

void RuntimeState::check_names(const RuntimeOptions& options,
                               const std::vector<Candidate>& candidates) const {
  Vocabulary known;
  for (const Candidate& candidate : candidates) known.add(candidate);
  // Variables may be meant for another runtime of the process, which looks into these.
  RuntimeOptions everywhere;
  for (const Candidate& candidate :
       find_candidates(everywhere, search_directories(everywhere, environment))) {
    known.add(candidate);
  }
  known.check_settings(environment.names_in_code(), "RuntimeOptions::settings");
  known.check_variables(environment.variables());
  known.check_plugins(wanted_plugins,
                      options.plugins.empty() ? "PATCHBAY_PLUGINS" : "RuntimeOptions::plugins");
}

void RuntimeState::load_plugins(const RuntimeOptions& options) {
  const std::vector<Candidate> candidates = find_candidates(options, directories);
  check_names(options, candidates);
  for (const Candidate& candidate : candidates) add(candidate, {});
  for (const std::string& name : unmatched_visible_devices()) {
    logger.log(LogLevel::kWarning, "[Runtime] visible device '{}' is not there", name);
  }
}

std::vector<std::string> RuntimeState::unmatched_visible_devices() const {
  const std::vector<DeviceState*> found = devices();
  std::vector<std::string> result;
  for (const std::string& name : visible_devices) {
    const auto has_name = [&name](const DeviceState* device) { return device->name_text == name; };
    if (std::none_of(found.begin(), found.end(), has_name)) result.push_back(name);
  }
  return result;
}

RuntimeState::~RuntimeState() {
  if (process_is_ending()) return;
  // No one can wait on them any more. Closed before anything else is waited for: it is then that a
  // plugin can end what would run for ever.
  for (const auto& plugin : plugins) {
    for (const auto& device : plugin->devices) {
      if (device->default_stream) device->default_stream->close();
    }
  }
  settle();
}

const PluginState& RuntimeState::add(const Candidate& candidate,
                                     const std::map<std::string, std::string>& settings) {
  // Not under the lock: a driver may take its time, and what it logs may come back to the runtime.
  auto tried = std::make_unique<PluginState>(*this, candidate, settings);
  try_plugin(*tried);
  const PluginState& plugin = *tried;
  {
    const std::scoped_lock lock(mutex);
    plugins.push_back(std::move(tried));
  }
  const bool failed = plugin.status == PluginStatus::kRefused ||
                      plugin.status == PluginStatus::kFailed ||
                      plugin.status == PluginStatus::kShadowed;
  if (candidate.named_in_code && failed) {
    raise(ErrorCode::kPluginFailed, "[Runtime] plugin {} {}: {}.", quote(candidate.path.string()),
          to_string(plugin.status), plugin.reason);
  }
  return plugin;
}

void RuntimeState::try_plugin(PluginState& plugin) {
  const Candidate& candidate = plugin.candidate;
  if (!candidate.named_in_code && !wanted_plugins.empty() &&
      !contains(wanted_plugins, candidate.name)) {
    plugin.finish(PluginStatus::kFiltered, fmt::format("not among the plugins asked for ({})",
                                                       fmt::join(wanted_plugins, ", ")));
    return;
  }
  const Inspection inspection = inspect(candidate);
  plugin.name = inspection.note.plugin.empty() ? candidate.name : inspection.note.plugin;
  plugin.backend = inspection.note.backend;
  if (!inspection.refusal.empty()) {
    plugin.finish(PluginStatus::kRefused, inspection.refusal);
  } else if (std::string rival = find_rival(plugin, inspection.id); !rival.empty()) {
    plugin.finish(PluginStatus::kShadowed, std::move(rival));
  } else {
    plugin.load(inspection);
  }
}

std::string RuntimeState::find_rival(const PluginState& plugin, const FileId& file) const {
  const std::scoped_lock lock(mutex);
  for (const auto& other : plugins) {
    if (!other->is_loaded()) continue;
    const std::string path = quote(other->candidate.path.string());
    if (other->file == file) return "the same file as " + path;
    if (other->backend == plugin.backend) {
      return fmt::format("backend '{}' is already provided by {}", plugin.backend, path);
    }
  }
  return {};
}

PluginInfo RuntimeState::load(const std::filesystem::path& file,
                              std::map<std::string, std::string> settings) {
  home.check("load", file.string());
  check_no_callback("load");
  const Candidate candidate = named_candidate(file);
  Vocabulary known;
  known.add(candidate);
  std::vector<std::string> names;
  for (const auto& [name, value] : settings) names.push_back(name);
  known.check_settings(names, "the settings of load");
  const std::scoped_lock one_at_a_time(load_mutex);
  return add(candidate, settings).info();
}

void RuntimeState::unload(std::string_view plugin_name) {
  home.check("unload", plugin_name);
  const std::scoped_lock lock(mutex);
  for (const auto& plugin : plugins) {
    if (plugin->name != plugin_name || !plugin->is_loaded()) continue;
    settle();
    if (const std::string holders = plugin->holders(); !holders.empty()) {
      if (plugin->validation) plugin->validation->log_live();
      raise(ErrorCode::kInUse,
            "[unload] plugin '{}' is in use: {}. Release these first, then unload.", plugin_name,
            holders);
    }
    plugin->close();
    plugin->finish(PluginStatus::kUnloaded, "unloaded by the program");
    return;
  }
  std::vector<std::string> names;
  std::map<std::string, std::string> loaded;
  for (const auto& plugin : plugins) {
    if (!plugin->is_loaded()) continue;
    names.push_back(plugin->name);
    loaded[plugin->name] = plugin->backend;
  }
  raise(ErrorCode::kInvalidArgument, "[unload] no plugin {} is loaded: loaded are [{}], {}.",
        quote(plugin_name), fmt::join(names, ", "), hint_plugin(plugin_name, loaded));
}

void RuntimeState::settle() noexcept {
  transfer.finish(nullptr, PATCHBAY_NO_DEADLINE);
  for (const auto& plugin : plugins) {
    for (const auto& device : plugin->devices) {
      if (device->default_stream) device->default_stream->finish_quietly();
    }
  }
  for (const auto& plugin : plugins) {
    for (const auto& device : plugin->devices) device->allocator.trim();
  }
}

bool RuntimeState::ask_for_memory(DeviceState& device, std::size_t size_bytes) {
  thread_local bool is_asking = false;
  std::shared_ptr<const OutOfMemoryCallback> callback;
  {
    const std::scoped_lock lock(mutex);
    callback = on_out_of_memory;
  }
  if (callback == nullptr || is_asking) return false;
  struct Asking {
    Asking() { is_asking = true; }
    ~Asking() { is_asking = false; }
  } const asking;
  (*callback)(Device(device.shared()), size_bytes);
  return true;
}

std::vector<DeviceState*> RuntimeState::devices() const {
  home.check("devices", "every device");
  const std::scoped_lock lock(mutex);
  std::vector<DeviceState*> result;
  for (const auto& plugin : plugins) {
    if (!plugin->is_loaded()) continue;
    for (const auto& device : plugin->devices) {
      if (device->visible) result.push_back(device.get());
    }
  }
  return result;
}

std::vector<DeviceState*> RuntimeState::gpus() const {
  std::vector<DeviceState*> result;
  for (DeviceState* device : devices()) {
    if (device->properties.kind != DeviceKind::kAccelerator) continue;
    const auto same = [device](const DeviceState* other) { return is_same_card(*device, *other); };
    if (std::none_of(result.begin(), result.end(), same)) result.push_back(device);
  }
  return result;
}

DeviceState& RuntimeState::find(std::string_view text) {
  const DeviceName name = DeviceName::parse(text);
  home.check("Device", name.to_string());
  if (name.backend == "gpu") return find_gpu(name, text);
  const std::scoped_lock lock(mutex);
  for (const auto& plugin : plugins) {
    if (!plugin->is_loaded() || plugin->backend != name.backend) continue;
    DeviceState* device = plugin->find_device(static_cast<std::uint32_t>(name.index));
    if (device == nullptr) {
      raise(ErrorCode::kUnknownDevice,
            "[Device] no device '{}': backend '{}' has {} device{} ({}). Use one of these.",
            name.to_string(), name.backend, plugin->devices.size(),
            plugin->devices.size() == 1 ? "" : "s", device_list(*plugin));
    }
    if (!device->visible) {
      raise(ErrorCode::kUnknownDevice,
            "[Device] device '{}' is hidden: visible are [{}]. Add it to PATCHBAY_VISIBLE_DEVICES "
            "or RuntimeOptions::visible_devices.",
            name.to_string(), fmt::join(visible_devices, ", "));
    }
    return *device;
  }
  raise_unknown_backend(name);
}

DeviceState& RuntimeState::default_device() {
  if (default_device_name.empty()) return find("cpu:0");
  try {
    return find(default_device_name);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{} It is asked for as the default device, by the setting 'device' "
                            "(PATCHBAY_DEVICE).",
                            error.what()));
  }
}

DeviceState& RuntimeState::find_gpu(const DeviceName& name, std::string_view text) {
  const std::vector<DeviceState*> accelerators = gpus();
  if (static_cast<std::size_t>(name.index) < accelerators.size()) {
    return *accelerators[static_cast<std::size_t>(name.index)];
  }
  std::vector<std::string> names;
  for (const DeviceState* device : accelerators) names.push_back(device->name_text);
  raise(ErrorCode::kUnknownDevice,
        "[Device] no device {}: {} accelerator{} found ([{}]). Runtime::explain() says what was "
        "tried; try_gpu({}) falls back to cpu:0.",
        quote(text), names.size(), names.size() == 1 ? "" : "s", fmt::join(names, ", "),
        name.index);
}

void RuntimeState::raise_unknown_backend(const DeviceName& name) const {
  std::vector<std::string> loaded;
  std::string why;
  for (const auto& plugin : plugins) {
    if (plugin->is_loaded()) loaded.push_back(plugin->backend);
    if (!plugin->is_loaded() && plugin->backend == name.backend) {
      why = fmt::format(" Plugin {} is {}: {}.", quote(plugin->candidate.path.string()),
                        to_string(plugin->status), plugin->reason);
    }
  }
  std::vector<std::string> searched;
  for (const auto& directory : directories) searched.push_back(quote(directory.string()));
  raise(ErrorCode::kUnknownDevice,
        "[Device] no backend '{}' for device '{}': loaded backends are [{}], plugins were looked "
        "for in [{}].{} Runtime::explain() says what was tried.",
        name.backend, name.to_string(), fmt::join(loaded, ", "), fmt::join(searched, ", "), why);
}

std::string RuntimeState::explain() const {
  const std::vector<std::string> unmatched = unmatched_visible_devices();
  const std::scoped_lock lock(mutex);
  std::string text;
  if (has_raised_privileges()) {
    text += "raised privileges: no variable is read, and no other plugin directory searched\n";
  }
  text += "plugin directories:\n";
  if (directories.empty()) text += "  none\n";
  for (const auto& directory : directories) {
    std::error_code error;
    const bool exists = std::filesystem::is_directory(directory, error);
    text += fmt::format("  {}{}\n", printable(directory.string()),
                        exists ? "" : " (no such directory)");
  }
  text += "plugins:\n";
  if (plugins.empty()) text += "  none found\n";
  for (const auto& plugin : plugins) {
    text += fmt::format("  {} {}: {}\n", printable(plugin->candidate.path.string()),
                        to_string(plugin->status), plugin->reason);
    if (!plugin->is_loaded()) continue;
    for (const auto& device : plugin->devices) {
      text += fmt::format("    {} {}: {}{}\n", device->name_text,
                          to_string(device->properties.kind), device->properties.name,
                          device->visible ? "" : " (hidden by the list of visible devices)");
    }
  }
  for (const std::string& name : unmatched) {
    text += fmt::format("visible device '{}' is not there\n", name);
  }
  return text;
}

}  // namespace patchbay::runtime

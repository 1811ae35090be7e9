// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/registry/plugin_registry.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/cancellation.h"
#include "core/base/error.h"
#include "core/runtime/copy/transfer.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/loader.h"
#include "core/runtime/registry/driver_lock.h"
#include "core/runtime/search/arrival.h"
#include "core/runtime/search/vocabulary.h"
#include "core/runtime/stream/stream_scope.h"

namespace patchbay::runtime {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// A later attempt may succeed.
bool has_failed(PluginStatus status) {
  return status == PluginStatus::kFailed || status == PluginStatus::kRefused ||
         status == PluginStatus::kQuarantined || status == PluginStatus::kNoDriver ||
         status == PluginStatus::kNoDevice;
}

constexpr const char* kNotOpened = "not opened yet";  // why a plugin is only found

/// Why a plugin is shadowed.
std::string same_file(const Backend& other) {
  return "the same file as " + base::quote(other.candidate.path.string());
}

std::string provided_by(const Backend& other) {
  return fmt::format("backend '{}' is already provided by {}", other.backend,
                     base::quote(other.candidate.path.string()));
}

/// The name of the default device; empty if not set. The device is looked up when needed.
std::string parse_default_device(const base::Environment& environment) {
  const std::string name = environment.get("device").value_or("");
  try {
    return name.empty() ? name : DeviceName::parse(name).to_string();
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{} Correct the setting 'device' (PATCHBAY_DEVICE).", error.what()));
  }
}

/// " (no such directory)", for example; empty for one that can be read.
std::string why_unreadable(const std::filesystem::path& directory) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) return " (no such directory)";
  if (access(directory.c_str(), R_OK | X_OK) == 0) return {};
  return fmt::format(" (can't be read: {})", std::generic_category().message(errno));
}

void check_on_or_off(const base::Environment& environment, std::string_view name) {
  const auto setting = environment.get(name);
  if (!setting || setting->empty() || *setting == "on" || *setting == "off") return;
  base::raise(ErrorCode::kInvalidArgument, "[Runtime] setting '{}': expected on or off, got {}.",
              name, base::quote(*setting));
}

void check_absolute(const base::Environment& environment, std::string_view name) {
  const auto setting = environment.get(name);
  if (!setting || setting->empty() || setting->front() == '/') return;
  base::raise(
      ErrorCode::kInvalidArgument,
      "[Runtime] setting '{}': expected an absolute path, got {}. Write it from the root on, "
      "without ~.",
      name, base::quote(*setting));
}

}  // namespace

PluginRegistry::PluginRegistry(RuntimeState& runtime, const RuntimeOptions& options)
    : runtime_(runtime), probe_(options, runtime.environment) {
  watch_process_end();
  const base::Environment& environment = runtime_.environment;
  static_cast<void>(environment.is_on("flush_subnormals"));  // plugins read it
  check_on_or_off(environment, "memory_cache");
  check_on_or_off(environment, "host_access");
  check_on_or_off(environment, "driver_graphs");
  check_absolute(environment, "cache_dir");
  default_device_name_ = parse_default_device(environment);
  visible_devices_ = VisibleDevices(options, environment);
  wanted_plugins_ = !options.plugins.empty() ? options.plugins : environment.get_list("plugins");
  if (options.plugins.empty()) wanted_variable_ = environment.quote_variable("plugins");
  directories_ = search_directories(options, environment);
  trusted_ = trusted_folders(options);
  if (base::has_raised_privileges()) log_ignored(options);
}

PluginRegistry::~PluginRegistry() {
  if (process_is_ending()) return;
  // Close the streams before any wait: plugins then end work that would run for ever.
  // No list of them is made, for a destructor may not fail.
  for (const auto& backend : backends_) {
    if (!backend->is_loaded()) continue;
    for (const auto& device : backend->assemblies) device->close_stream();
  }
  settle();
}

void PluginRegistry::log_ignored(const RuntimeOptions& options) {
  if (const auto names = runtime_.environment.ignored_variables(); !names.empty()) {
    runtime_.logger.log(LogLevel::kWarning, "[Runtime] raised privileges: ignored {}",
                        base::one_line(fmt::format("{}", fmt::join(names, ", "))));
  }
  for (const auto& directory : options.plugin_directories) {
    if (is_allowed(directory)) continue;
    runtime_.logger.log(LogLevel::kWarning,
                        "[Runtime] raised privileges: ignored the plugin directory {}",
                        base::quote(directory.string()));
  }
  for (const auto& directory : options.trusted_directories) {
    runtime_.logger.log(LogLevel::kWarning,
                        "[Runtime] raised privileges: not trusted is the directory {}",
                        base::quote(directory.string()));
  }
}

void PluginRegistry::find_plugins(const RuntimeOptions& options) {
  const std::vector<Candidate> candidates = find_candidates(options, directories_);
  ignored_names_ = check_names(options, runtime_.environment, wanted_plugins_,
                               visible_devices_.names(), candidates);
  for (const std::string& name : ignored_names_) {
    runtime_.logger.log(LogLevel::kWarning, "[Runtime] {}", name);
  }
  const DriverLock driver_lock;
  const LoadLock load_lock(*this);
  for (const Candidate& candidate : candidates) {
    if (is_engine(candidate)) {
      candidate.named_in_code ? static_cast<void>(load_engine(candidate, {}))
                              : static_cast<void>(add_engine(candidate, {}));
    } else if (candidate.named_in_code) {
      add_named(candidate, {});
    } else {
      const Backend& backend = put(look_at(candidate, {}), std::nullopt);
      if (backend.status != PluginStatus::kFound) continue;
      runtime_.logger.log(LogLevel::kInfo, "{}", backend.describe_status());
    }
  }
}

const Backend& PluginRegistry::put(std::unique_ptr<Backend> backend,
                                   std::optional<std::size_t> former) {
  const std::scoped_lock lock(mutex_);
  if (!former) return *backends_.emplace_back(std::move(backend));
  backends_[*former].swap(backend);
  return *backends_[*former];
}

/// There may be handles to devices of an entry that was loaded: it stays.
std::optional<std::size_t> PluginRegistry::find_replaceable(
    const std::filesystem::path& path) const {
  const std::scoped_lock lock(mutex_);
  const auto former = std::find_if(backends_.begin(), backends_.end(), [&](const auto& other) {
    return other->assemblies.empty() && other->candidate.path == path;
  });
  if (former == backends_.end()) return std::nullopt;
  return static_cast<std::size_t>(former - backends_.begin());
}

void PluginRegistry::forget_former() {
  std::vector<std::unique_ptr<Backend>> forgotten;  // destroyed without the lock
  const std::scoped_lock lock(mutex_);
  if (num_readings_.load(std::memory_order_acquire) != 0) return;  // the next load tries again
  for (std::size_t i = backends_.size(); i-- > 0;) {
    if (!is_former(i) || backends_[i]->is_wanted()) continue;
    forgotten.push_back(std::move(backends_[i]));
    backends_.erase(backends_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

bool PluginRegistry::is_open(const std::filesystem::path& path) const {
  const std::scoped_lock lock(mutex_);
  return std::any_of(backends_.begin(), backends_.end(), [&](const auto& one) {
    return one->is_loaded() && one->candidate.path == path;
  });
}

/// A file that is open keeps its one entry, whatever becomes of the attempt to open it again.
PluginInfo PluginRegistry::add_named(const Candidate& candidate, const Settings& settings) {
  const std::optional<std::size_t> former = find_replaceable(candidate.path);
  std::unique_ptr<Backend> made =
      inspect_and_open(candidate, settings, former ? entry(*former) : nullptr);
  PluginInfo info = made->info();
  if (made->is_loaded() || !is_open(candidate.path)) {
    const Backend& backend = put(std::move(made), former);
    if (backend.is_loaded()) shadow_others(backend);
    forget_former();
  }
  const bool failed =
      info.status == PluginStatus::kRefused || info.status == PluginStatus::kFailed ||
      info.status == PluginStatus::kQuarantined || info.status == PluginStatus::kShadowed;
  if (failed) {
    base::raise(ErrorCode::kPluginFailed, "[Runtime] plugin {} {}: {}.",
                base::quote(info.path.string()), to_string(info.status), info.reason);
  }
  return info;
}

std::unique_ptr<Backend> PluginRegistry::look_at(const Candidate& candidate,
                                                 const Settings& settings, const Backend* itself,
                                                 Inspection* seen) const {
  auto backend = std::make_unique<Backend>(runtime_, candidate, settings);
  if (!candidate.named_in_code && !wanted_plugins_.empty() &&
      !contains(wanted_plugins_, candidate.name)) {
    backend->finish(PluginStatus::kFiltered, fmt::format("not among the plugins asked for ({})",
                                                         fmt::join(wanted_plugins_, ", ")));
    return backend;
  }
  Inspection inspection = inspect(candidate, trusted_);
  backend->name = inspection.note.plugin.empty() ? candidate.name : inspection.note.plugin;
  backend->backend = inspection.note.backend;
  backend->file = inspection.id;
  if (!inspection.refusal.empty()) {
    backend->finish(PluginStatus::kRefused, inspection.refusal);
  } else {
    std::string rival;
    {
      const std::scoped_lock lock(mutex_);
      rival = find_rival(*backend, itself);
    }
    if (rival.empty()) {
      backend->set_status(PluginStatus::kFound, kNotOpened);
    } else {
      backend->finish(PluginStatus::kShadowed, std::move(rival));
    }
  }
  if (seen != nullptr) *seen = std::move(inspection);
  return backend;
}

std::unique_ptr<Backend> PluginRegistry::inspect_and_open(const Candidate& candidate,
                                                          const Settings& settings,
                                                          const Backend* itself) {
  Inspection inspection;  // of the file that is then opened
  std::unique_ptr<Backend> backend = look_at(candidate, settings, itself, &inspection);
  if (backend->status != PluginStatus::kFound) return backend;
  // Without mutex_: a driver may be slow.
  try {
    Verdict verdict = probe_.judge(inspection, backend->environment);
    backend->probe = verdict.origin;
    backend->changes = std::move(verdict.changes);
    if (!verdict.harm.empty()) backend->finish(PluginStatus::kQuarantined, verdict.harm);
  } catch (const Error& error) {
    backend->finish(PluginStatus::kFailed, error.what());
  }
  if (backend->status != PluginStatus::kFound) return backend;
  backend->open(inspection, runtime_, visible_devices_);
  return backend;
}

std::string PluginRegistry::find_rival(const Backend& plugin, const Backend* itself) const {
  for (const auto& other : backends_) {
    if (other.get() == itself) continue;
    const bool is_there = other->is_loaded() || other->status == PluginStatus::kFound;
    if (is_there && other->file == plugin.file) return same_file(*other);
    if (other->is_loaded() && other->backend == plugin.backend) {
      return provided_by(*other);
    }
  }
  return {};
}

/// Shadows the unopened plugins of its backend, which will not be needed.
void PluginRegistry::shadow_others(const Backend& loaded) {
  const std::scoped_lock lock(mutex_);
  for (const auto& other : backends_) {
    if (other->status != PluginStatus::kFound || other->backend != loaded.backend) continue;
    other->finish(PluginStatus::kShadowed, provided_by(loaded));
  }
}

/// Its own file stays shadowed under its other names.
void PluginRegistry::end_shadow(const Backend& unloaded) {
  for (const auto& other : backends_) {
    if (other->status != PluginStatus::kShadowed || other->backend != unloaded.backend) continue;
    const auto is_other_name = [&](const auto& one) {
      return one->status == PluginStatus::kUnloaded && one->file == other->file &&
             one->candidate.path != other->candidate.path;
    };
    const auto same = std::find_if(backends_.begin(), backends_.end(), is_other_name);
    std::string rival =
        same != backends_.end() ? same_file(**same) : find_rival(*other, other.get());
    if (rival.empty()) {
      other->finish(PluginStatus::kFound, kNotOpened);
    } else {
      other->finish(PluginStatus::kShadowed, std::move(rival));
    }
  }
}

void PluginRegistry::open_all_of(std::string_view backend) {
  if (!next_closed(backend, 0)) return;
  const DriverLock driver_lock;
  const LoadLock load_lock(*this);
  for (auto at = next_closed(backend, 0); at; at = next_closed(backend, *at + 1)) open_entry(*at);
}

/// Includes failed plugins if their backend is named: they may work by now, with more memory or a
/// new driver. Lists of devices don't retry them.
std::optional<std::size_t> PluginRegistry::next_closed(std::string_view backend,
                                                       std::size_t from) const {
  const auto is_worth_it = [&](const Backend& one) {
    if (one.status == PluginStatus::kFound) return backend.empty() || one.backend == backend;
    return has_failed(one.status) && !backend.empty() && one.backend == backend;
  };
  const std::scoped_lock lock(mutex_);
  for (const auto& one : backends_) {
    if (one->is_loaded() && one->backend == backend) return std::nullopt;
  }
  for (std::size_t i = from; i < backends_.size(); ++i) {
    if (is_worth_it(*backends_[i])) return i;
  }
  return std::nullopt;
}

const Backend* PluginRegistry::entry(std::size_t index) const {
  const std::scoped_lock lock(mutex_);
  return backends_[index].get();
}

/// The caller holds load_mutex_.
void PluginRegistry::open_entry(std::size_t index) {
  const Backend* const found = entry(index);
  std::unique_ptr<Backend> made = inspect_and_open(found->candidate, found->own_settings, found);
  if (made->backend.empty()) made->backend = found->backend;  // the file is no longer readable
  const Backend& backend = put(std::move(made), index);
  if (backend.is_loaded()) shadow_others(backend);
}

std::vector<std::string> PluginRegistry::unmatched_visible_devices() const {
  const Reading reading(*this);
  const std::vector<Backend*> all = loaded();
  std::vector<std::string> result;
  for (const std::string& name : visible_devices_.names()) {
    const auto has_it = [&name](const Backend* backend) {
      return std::any_of(backend->devices.begin(), backend->devices.end(),
                         [&name](const auto& info) { return info->name_text == name; });
    };
    if (std::none_of(all.begin(), all.end(), has_it)) result.push_back(name);
  }
  return result;
}

/// The call, of which an out-of-memory function is a part, returns into the plugin afterwards.
void PluginRegistry::check_not_in_call(std::string_view plugin_name) {
  if (!CallGate::is_inside()) return;
  base::raise(
      ErrorCode::kInUse,
      "[unload] this thread is in a call that has called the program back. Call unload for {} "
      "after that call.",
      base::quote(plugin_name));
}

PluginInfo PluginRegistry::load(const std::filesystem::path& file, const Settings& settings) {
  runtime_.home.check("load", file.string());
  check_no_callback("load");
  const Candidate candidate = named_candidate(file);
  Vocabulary known;
  known.add(candidate);
  std::vector<std::string> names;
  for (const auto& [name, value] : settings) names.push_back(name);
  known.check_settings(names, "the settings of load");
  const DriverLock driver_lock;
  const LoadLock load_lock(*this);
  return is_engine(candidate) ? load_engine(candidate, settings) : add_named(candidate, settings);
}

void PluginRegistry::unload(std::string_view plugin_name) {
  runtime_.home.check("unload", plugin_name);
  check_no_callback("unload");
  check_not_in_call(plugin_name);
  const LoadLock load_lock(*this);
  if (Backend* const backend = find_to_unload(plugin_name)) return unload(*backend);
  if (unload_engine(plugin_name)) return;
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> names;
  std::map<std::string, std::string> loaded;
  for (const auto& backend : backends_) {
    if (!backend->is_loaded()) continue;
    names.push_back(backend->name);
    loaded[backend->name] = backend->backend;
  }
  base::raise(ErrorCode::kInvalidArgument, "[unload] no plugin {} is loaded: loaded are [{}]{}.",
              base::quote(plugin_name), fmt::join(names, ", "), hint_plugin(plugin_name, loaded));
}

/// One that is found or loaded; null if there is none.
Backend* PluginRegistry::find_to_unload(std::string_view plugin_name) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& backend : backends_) {
    const bool is_there = backend->status == PluginStatus::kFound || backend->is_loaded();
    if (backend->name == plugin_name && is_there) return backend.get();
  }
  return nullptr;
}

void PluginRegistry::unload(Backend& backend) {
  settle();
  struct Closing {
    explicit Closing(CallGate& closed) : gate(closed), is_quiet(gate.close()) {}
    ~Closing() { gate.open(); }
    CallGate& gate;
    const bool is_quiet;
  } const closing(backend.calls);
  std::string holders = backend.holders();
  if (!holders.empty()) {  // perhaps a thread has counted a block that it does not get
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    holders = backend.holders();
  }
  if (!holders.empty()) {
    if (backend.layer) backend.layer->log_live();
    base::raise(ErrorCode::kInUse,
                "[unload] plugin '{}' is in use: {}. Release these first, then unload.",
                backend.name, holders);
  }
  if (!closing.is_quiet) {
    base::raise(
        ErrorCode::kInUse,
        "[unload] plugin '{}' is in use: a call of another thread is running. Let it end first, "
        "then unload.",
        backend.name);
  }
  backend.close_all();
  const std::scoped_lock lock(mutex_);
  backend.finish(PluginStatus::kUnloaded, "unloaded by the program");
  end_shadow(backend);
}

void PluginRegistry::settle() noexcept {
  const base::CancellationOff not_cancelled;
  runtime_.transfer.finish(nullptr, PATCHBAY_NO_DEADLINE);
  for (const auto& backend : backends_) {
    for (const auto& device : backend->assemblies) {
      if (device->handle.load(std::memory_order_acquire) == nullptr) continue;
      device->default_stream->finish_quietly();
      device->default_stream->finish_foreign_waits();
    }
  }
  for (const auto& backend : backends_) {
    for (const auto& device : backend->assemblies) device->allocator->trim();
  }
}

std::vector<const Backend*> PluginRegistry::listed() const {
  std::vector<const Backend*> result;
  for (std::size_t i = 0; i < backends_.size(); ++i) {
    if (!is_former(i)) result.push_back(backends_[i].get());
  }
  return result;
}

bool PluginRegistry::is_former(std::size_t index) const {
  const Backend& one = *backends_[index];
  const auto has_its_path = [&one](const auto& other) {
    return other->candidate.path == one.candidate.path;
  };
  return one.status == PluginStatus::kUnloaded &&
         std::any_of(backends_.begin() + static_cast<std::ptrdiff_t>(index) + 1, backends_.end(),
                     has_its_path);
}

std::vector<PluginInfo> PluginRegistry::plugins() const {
  runtime_.home.check("plugins", "every plugin");
  const std::scoped_lock lock(mutex_);
  std::vector<PluginInfo> result;
  for (const Backend* const backend : listed()) result.push_back(backend->info());
  for (const auto& engine : engines_) result.push_back(engine->info());
  return result;
}

std::vector<Backend*> PluginRegistry::validated() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Backend*> result;
  for (const auto& backend : backends_) {
    if (backend->layer != nullptr) result.push_back(backend.get());
  }
  return result;
}

std::vector<Backend*> PluginRegistry::loaded() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Backend*> result;
  for (const auto& backend : backends_) {
    if (backend->is_loaded()) result.push_back(backend.get());
  }
  return result;
}

Backend* PluginRegistry::find_loaded(std::string_view backend) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& one : backends_) {
    if (one->is_loaded() && one->backend == backend) return one.get();
  }
  return nullptr;
}

std::string PluginRegistry::explain() {
  runtime_.home.check("explain", "every plugin");
  open_all();
  const std::vector<std::string> unmatched = unmatched_visible_devices();
  std::string text;
  if (base::has_raised_privileges()) {
    text += "raised privileges: no variable is read, and no other plugin directory searched\n";
  }
  text += "plugin directories:\n";
  if (directories_.empty()) text += "  none\n";
  for (const auto& directory : directories_) {
    text += fmt::format("  {}{}\n", printable(directory.string()), why_unreadable(directory));
  }
  const std::scoped_lock lock(mutex_);
  text += "plugins:\n";
  if (backends_.empty() && engines_.empty()) text += "  none found\n";
  for (const Backend* const backend : listed()) text += backend->explain();
  for (const auto& engine : engines_) text += engine->explain();
  for (const std::string& name : ignored_names_) text += name + '\n';
  for (const std::string& name : unmatched) {
    text += fmt::format("visible device '{}' is not there\n", name);
  }
  return text;
}

/// Opens every plugin, for lists of devices.
void PluginRegistry::open_all() {
  open_all_of("");
  if (has_listed_.exchange(true)) return;
  for (const std::string& name : unmatched_visible_devices()) {
    runtime_.logger.log(LogLevel::kWarning, "[Runtime] visible device '{}' is not there", name);
  }
}

}  // namespace patchbay::runtime

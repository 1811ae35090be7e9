// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "text.h"

namespace patchbay::tools {
namespace {

const void* handler_of(int signal) {
  struct sigaction action {};
  if (sigaction(signal, nullptr, &action) != 0) return nullptr;
  return reinterpret_cast<const void*>(action.sa_handler);
}

std::size_t count_entries(const char* directory) {
  std::error_code error;
  const std::filesystem::directory_iterator all(directory, error);
  return error ? 0 : static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::size_t read_resident_bytes() {
  std::size_t total_pages = 0, resident_pages = 0;
  std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
  return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Lines of /proc/self/maps: range, rights, offset, device, inode, path.
std::set<std::string> read_libraries() {
  std::set<std::string> result;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string range, rights, skipped, path;
    words >> range >> rights >> skipped >> skipped >> skipped >> path;
    if (rights.find('x') != std::string::npos && path.starts_with('/')) result.insert(path);
  }
  return result;
}

std::string name_of(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

void add(std::vector<std::string>& parts, long long count, const char* one) {
  if (count == 0) return;
  parts.push_back(fmt::format("{} {}{}", count, one, count == 1 || count == -1 ? "" : "s"));
}

/// The parts of a process that a driver may change when it is opened. Linux only: reads
/// /proc/self.
struct ProcessState {
  static ProcessState now() {
    ProcessState state;
    state.time = std::chrono::steady_clock::now();
    for (int signal = 1; signal < NSIG; ++signal)
      state.signal_handlers.push_back(handler_of(signal));
    state.libraries = read_libraries();
    state.num_threads = count_entries("/proc/self/task");
    state.num_files = count_entries("/proc/self/fd");
    state.resident_bytes = read_resident_bytes();
    return state;
  }

  std::chrono::steady_clock::time_point time;
  std::vector<const void*> signal_handlers;  // by signal number
  std::set<std::string> libraries;           // executable mapped files
  std::size_t num_threads = 0, num_files = 0, resident_bytes = 0;
};

/// The difference between two states.
struct ProcessChanges {
  ProcessChanges(const ProcessState& before, const ProcessState& after)
      : milliseconds(std::chrono::duration<double, std::milli>(after.time - before.time).count()) {
    const auto grown = [](std::size_t from, std::size_t to) {
      return static_cast<long long>(to) - static_cast<long long>(from);
    };
    resident_bytes = grown(before.resident_bytes, after.resident_bytes);
    num_threads = grown(before.num_threads, after.num_threads);
    num_files = grown(before.num_files, after.num_files);
    for (std::size_t i = 0; i < before.signal_handlers.size(); ++i) {
      const bool is_changed = before.signal_handlers[i] != after.signal_handlers[i];
      if (is_changed) signals.push_back(name_of(static_cast<int>(i) + 1));
    }
    std::set_difference(after.libraries.begin(), after.libraries.end(), before.libraries.begin(),
                        before.libraries.end(), std::back_inserter(libraries));
  }

  /// "63 ms, 64 MB, 3 threads, 15 signal handlers (SIGINT SIGTERM ...), 12 libraries"
  std::string to_text() const {
    std::vector<std::string> parts{
        fmt::format("{:.0f} ms", milliseconds),
        fmt::format("{:.0f} MB", static_cast<double>(resident_bytes) / 1e6)};
    add(parts, num_threads, "thread");
    add(parts, num_files, "open file");
    if (!libraries.empty()) {
      parts.push_back(
          fmt::format("{} {}", libraries.size(), libraries.size() == 1 ? "library" : "libraries"));
    }
    if (!signals.empty()) {
      parts.push_back(fmt::format("{} signal handler{} ({})", signals.size(),
                                  signals.size() == 1 ? "" : "s", fmt::join(signals, " ")));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  nlohmann::json to_json() const {
    return {{"milliseconds", milliseconds}, {"resident_bytes", resident_bytes},
            {"threads", num_threads},       {"open_files", num_files},
            {"signal_handlers", signals},   {"libraries", libraries}};
  }

  double milliseconds = 0;
  long long resident_bytes = 0, num_threads = 0, num_files = 0;
  std::vector<std::string> signals, libraries;
};

/// The plugin's name, or the file name if the file is not a plugin.
std::string name_of(const PluginInfo& plugin) {
  return plugin.name.empty() ? plugin.path.filename().string() : plugin.name;
}

bool was_opened(const PluginInfo& plugin) {
  switch (plugin.status) {
    case PluginStatus::kLoaded:
    case PluginStatus::kFailed:
    case PluginStatus::kNoDriver:
    case PluginStatus::kNoDevice: return true;
    default: return false;
  }
}

/// By the path of the plugin's file.
using Changes = std::map<std::filesystem::path, ProcessChanges>;

bool has_status(const Runtime& runtime, const std::filesystem::path& path, PluginStatus status) {
  const std::vector<PluginInfo> plugins = runtime.plugins();
  return std::any_of(plugins.begin(), plugins.end(), [&](const PluginInfo& plugin) {
    return plugin.status == status && plugin.path == path;
  });
}

void load_for_status(const Runtime& runtime, const std::filesystem::path& file) {
  try {
    (void)runtime.load(file);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): its status has the reason
  }
}

/// Of a file that could not be opened.
bool is_quarantined(RuntimeOptions options, const std::filesystem::path& file) {
  options.plugin_files.clear();
  options.probe = ProbeMode::kOn;
  try {
    const Runtime runtime(options);
    load_for_status(runtime, file);
    return has_status(runtime, file, PluginStatus::kQuarantined);
  } catch (const Error&) {
    return false;
  }
}

/// Opens the files that the user named one after the other, and returns what each changed in the
/// process. `kept` keeps them open. A file that can't be opened without the others, for example
/// because a variable sets something of theirs, has no entry. `quarantined` gets those that the
/// probe stopped.
Changes open_named(const RuntimeOptions& options, std::vector<Runtime>& kept,
                   std::vector<std::filesystem::path>& quarantined) {
  Changes changes;
  for (const auto& file : options.plugin_files) {
    RuntimeOptions alone = options;
    alone.plugin_files = {file};
    const ProcessState then = ProcessState::now();
    try {
      kept.emplace_back(alone);
    } catch (const Error&) {
      if (is_quarantined(options, file)) quarantined.push_back(file);
      continue;
    }
    const ProcessChanges change(then, ProcessState::now());
    for (const PluginInfo& plugin : kept.back().plugins()) {
      if (was_opened(plugin)) changes.emplace(plugin.path, change);
    }
  }
  return changes;
}

/// Opens the other plugins one by one: asking for a device may open several of its backend.
void open_found(const Runtime& runtime, Changes& changes) {
  for (const PluginInfo& plugin : runtime.plugins()) {
    // An earlier one may have shadowed it.
    if (!has_status(runtime, plugin.path, PluginStatus::kFound)) continue;
    const ProcessState then = ProcessState::now();
    load_for_status(runtime, plugin.path);
    if (has_status(runtime, plugin.path, PluginStatus::kQuarantined)) continue;
    changes.emplace(plugin.path, ProcessChanges(then, ProcessState::now()));
  }
}

Json describe(const PluginInfo& plugin) {
  return {{"path", plugin.path.string()},       {"name", plugin.name},
          {"backend", plugin.backend},          {"version", plugin.version},
          {"status", to_string(plugin.status)}, {"reason", plugin.reason},
          {"devices", plugin.devices},          {"probe", to_string(plugin.probe)},
          {"changes", plugin.changes}};
}

/// Lines instead of columns, because paths and reasons are long.
std::string show(const PluginInfo& plugin, const ProcessChanges* changes) {
  std::string text = fmt::format("{}  {}\n", name_of(plugin), to_string(plugin.status));
  const auto add = [&](const char* label, const std::string& value) {
    if (value.empty()) return;
    for (const std::string& line : wrap(value, 89)) {
      text += fmt::format("  {:<7}  {}\n", label, line);
      label = "";
    }
  };
  const bool is_kept = plugin.probe == ProbeOrigin::kKept;
  add("reason", plugin.reason);
  add("probe", is_kept ? "judged by an earlier one; --reprobe probes again" : "");
  add("devices", fmt::format("{}", fmt::join(plugin.devices, " ")));
  if (changes != nullptr) add("opening", changes->to_text());
  add("changes", fmt::format("{}", fmt::join(plugin.changes, ", ")));
  add("version", plugin.version);
  add("file", plugin.path.string());
  return text + '\n';
}

std::string show_searched(const std::vector<std::filesystem::path>& directories) {
  if (directories.empty()) return "No directory was searched.\n";
  std::string text = "Searched:\n";
  for (const auto& directory : directories) text += fmt::format("  {}\n", directory.string());
  return text;
}

}  // namespace

Report report_plugins(RuntimeOptions options, bool explain) {
  std::vector<Runtime> opened;
  std::vector<std::filesystem::path> quarantined;
  Changes changes = open_named(options, opened, quarantined);
  // They are listed too, and would end the making of a runtime that names them.
  std::erase_if(options.plugin_files, [&](const std::filesystem::path& file) {
    return std::find(quarantined.begin(), quarantined.end(), file) != quarantined.end();
  });
  const Runtime runtime(options);
  for (const auto& file : quarantined) load_for_status(runtime, file);
  Json plugins = Json::array(), searched = Json::array();
  Report report;
  open_found(runtime, changes);
  for (const PluginInfo& plugin : runtime.plugins()) {
    const auto found = changes.find(plugin.path);
    plugins.push_back(describe(plugin));
    if (found != changes.end()) plugins.back()["opening"] = found->second.to_json();
    report.text += show(plugin, found != changes.end() ? &found->second : nullptr);
  }
  for (const auto& directory : runtime.plugin_directories()) searched.push_back(directory.string());

  if (plugins.empty()) report.text = "No plugin was found.\n\n";
  report.text += show_searched(runtime.plugin_directories());
  report.json = {{"plugins", std::move(plugins)}, {"searched", std::move(searched)}};
  if (explain) {
    report.text = runtime.explain();
    if (!report.text.ends_with('\n')) report.text += '\n';
    report.json["explanation"] = runtime.explain();
  }
  return report;
}

}  // namespace patchbay::tools

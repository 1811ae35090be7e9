// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.h"
#include "process_state.h"
#include "text.h"

namespace patchbay::tools {
namespace {

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

/// Opens the files that the user named one after the other, and returns what each changed in the
/// process. `kept` keeps them open. A file that can't be opened without the others, for example
/// because a variable sets something of theirs, has no entry.
Changes open_named(const RuntimeOptions& options, std::vector<Runtime>& kept) {
  Changes changes;
  for (const auto& file : options.plugin_files) {
    RuntimeOptions alone = options;
    alone.plugin_files = {file};
    const ProcessState then = ProcessState::now();
    try {
      kept.emplace_back(alone);
    } catch (const Error&) {
      continue;
    }
    const ProcessChanges change(then, ProcessState::now());
    for (const PluginInfo& plugin : kept.back().plugins()) {
      if (was_opened(plugin)) changes.emplace(plugin.path, change);
    }
  }
  return changes;
}

bool is_found(const Runtime& runtime, const std::filesystem::path& path) {
  const std::vector<PluginInfo> plugins = runtime.plugins();
  return std::any_of(plugins.begin(), plugins.end(), [&path](const PluginInfo& plugin) {
    return plugin.status == PluginStatus::kFound && plugin.path == path;
  });
}

/// Opens the other plugins one by one: asking for a device may open several of its backend.
void open_found(const Runtime& runtime, Changes& changes) {
  for (const PluginInfo& plugin : runtime.plugins()) {
    if (!is_found(runtime, plugin.path)) continue;  // an earlier one may have shadowed it
    const ProcessState then = ProcessState::now();
    try {
      (void)runtime.load(plugin.path);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): its status has the reason
    }
    changes.emplace(plugin.path, ProcessChanges(then, ProcessState::now()));
  }
}

Json describe(const PluginInfo& plugin) {
  return {{"path", plugin.path.string()},       {"name", plugin.name},
          {"backend", plugin.backend},          {"version", plugin.version},
          {"status", to_string(plugin.status)}, {"reason", plugin.reason},
          {"devices", plugin.devices}};
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
  add("reason", plugin.reason);
  add("devices", fmt::format("{}", fmt::join(plugin.devices, " ")));
  if (changes != nullptr) add("opening", changes->to_text());
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

Report report_plugins(const RuntimeOptions& options, bool explain) {
  std::vector<Runtime> opened;
  Changes changes = open_named(options, opened);
  const Runtime runtime(options);
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

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/suite.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/chapters.h"
#include "conformance/kernels/parts.h"

namespace patchbay::conformance {
namespace {

/// The checks open this plugin and that of cpu:0, for copies between the two, but no others, which
/// may hang or crash. The user's own choice stays.
void leave_others_closed(RuntimeOptions& options, const std::string& examined,
                         const std::vector<PluginInfo>& found) {
  const char* const chosen = options.read_environment ? std::getenv("PATCHBAY_PLUGINS") : nullptr;
  if (!options.plugins.empty() || (chosen != nullptr && *chosen != '\0')) return;
  for (const PluginInfo& plugin : found) {
    if (plugin.name == examined || plugin.name == "cpu-openblas") {
      options.plugins.push_back(plugin.name);
    }
  }
}

Subject require_device(RuntimeOptions options, const PluginInfo& plugin,
                       const std::vector<PluginInfo>& found) {
  if (plugin.status == PluginStatus::kLoaded && plugin.devices.empty()) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("[check] plugin '{}' ({}) carries bytes between processes, and has no "
                            "device to examine. The checks are for plugins of devices.",
                            plugin.name, plugin.path.string()));
  }
  if (plugin.status != PluginStatus::kLoaded) {
    throw Error(
        ErrorCode::kUnsupported,
        fmt::format("[check] plugin '{}' ({}) has no device to examine: {}, {}.", plugin.name,
                    plugin.path.string(), to_string(plugin.status), plugin.reason));
  }
  leave_others_closed(options, plugin.name, found);
  return {std::move(options), plugin.name, plugin.backend, {}};
}

/// patchbay-<name>.so
std::string name_in(const std::filesystem::path& file) {
  constexpr std::string_view kPrefix = "patchbay-";
  const std::string stem = file.stem().string();
  return stem.starts_with(kPrefix) ? stem.substr(kPrefix.size()) : stem;
}

}  // namespace

Subject subject_of_file(RuntimeOptions options, const std::filesystem::path& file) {
  options.plugin_files.insert(options.plugin_files.begin(), file);
  options.settings.try_emplace("watch_plugin", name_in(file));
  const std::vector<PluginInfo> plugins = Runtime(options).plugins();
  if (plugins.empty()) {
    throw Error(ErrorCode::kInternal,
                fmt::format("[check] the runtime does not mention {}.", file.string()));
  }
  const auto is_examined = [&](const PluginInfo& plugin) {
    std::error_code error;
    return std::filesystem::equivalent(plugin.path, file, error);
  };
  const auto examined = std::find_if(plugins.begin(), plugins.end(), is_examined);
  return require_device(std::move(options), examined != plugins.end() ? *examined : plugins.front(),
                        plugins);
}

Subject subject_of_backend(RuntimeOptions options, std::string_view name) {
  const Runtime runtime(options);
  (void)runtime.devices();  // opens every plugin
  std::vector<std::string> loaded;
  for (const PluginInfo& plugin : runtime.plugins()) {
    if (plugin.status != PluginStatus::kLoaded) continue;
    loaded.push_back(plugin.backend);
    if (plugin.name != plugin.backend) loaded.push_back(plugin.name);
  }
  for (const PluginInfo& plugin : runtime.plugins()) {
    const bool is_named = plugin.name == name || plugin.backend == name;
    if (is_named && plugin.status != PluginStatus::kShadowed) {
      return require_device(std::move(options), plugin, runtime.plugins());
    }
  }
  const std::string_view backend = name.substr(0, name.find(':'));
  const bool is_device = std::find(loaded.begin(), loaded.end(), backend) != loaded.end();
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format(
          "[check] '{}' is neither a plugin nor a backend: expected one of [{}], or the "
          "path of a file patchbay-<name>.so.{}",
          name, fmt::join(loaded, ", "),
          is_device ? fmt::format(" Name '{}', without the device's number.", backend) : ""));
}

std::vector<Check> all_checks() {
  std::vector<Check> all;
  for (auto* part : {loading_checks, memory_checks, driver_memory_checks, copies_checks,
                     streams_checks, slow_work_checks, kernels_checks, modules_checks}) {
    std::vector<Check> checks = part();
    std::move(checks.begin(), checks.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<std::string> chapters() {
  std::vector<std::string> names;
  for (const Check& check : all_checks()) {
    if (names.empty() || names.back() != check.chapter) names.push_back(check.chapter);
  }
  return names;
}

}  // namespace patchbay::conformance

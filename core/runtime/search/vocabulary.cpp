// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/search/vocabulary.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "patchbay/device.h"

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace patchbay::runtime {
namespace {

constexpr const char* kOwnSettings[] = {
    "cache_dir",   "copy_threads",  "device",          "driver_graphs", "flush_subnormals",
    "host_access", "log",           "memory_cache",    "plugin_path",   "plugins",
    "probe",       "probe_seconds", "profile",         "ranges",        "sync",
    "trace",       "validate",      "visible_devices", "watch_plugin"};

/// Variables that the library does not read: of tests, simulated drivers and find_package.
bool is_for_others(std::string_view variable) {
  return variable.starts_with("PATCHBAY_TEST_") || variable.starts_with("PATCHBAY_SIM_") ||
         variable == "PATCHBAY_ROOT" || variable == "PATCHBAY_DIR";
}

bool contains(const std::vector<std::string>& list, std::string_view value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::string prefix_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name + '_';
}

}  // namespace

bool is_own_setting(std::string_view name) {
  return std::find(std::begin(kOwnSettings), std::end(kOwnSettings), name) !=
         std::end(kOwnSettings);
}

std::string hint_plugin(std::string_view name, const std::map<std::string, std::string>& plugins) {
  std::vector<std::string> names;
  for (const auto& [plugin, backend] : plugins) {
    if (backend == name) return fmt::format(", backend '{}' is of plugin '{}'", name, plugin);
    names.push_back(plugin);
  }
  return base::hint_nearest(name, names);
}

Vocabulary::Vocabulary() : settings_(std::begin(kOwnSettings), std::end(kOwnSettings)) {}

void Vocabulary::add(const Candidate& candidate) {
  const Note note = read_candidate_note(candidate);
  const std::string& name = note.plugin.empty() ? candidate.name : note.plugin;
  if (!name.empty()) plugins_.try_emplace(name, note.backend);
  if (note.settings) {
    settings_.insert(settings_.end(), note.settings->begin(), note.settings->end());
    return;
  }
  for (const std::string& owner : {name, note.backend}) {
    if (!owner.empty()) open_prefixes_.push_back(prefix_of(owner));
  }
}

bool Vocabulary::has_setting(std::string_view name) const {
  return contains(settings_, name) ||
         std::any_of(open_prefixes_.begin(), open_prefixes_.end(),
                     [name](const std::string& prefix) { return name.starts_with(prefix); });
}

void Vocabulary::check_settings(const std::vector<std::string>& names,
                                std::string_view origin) const {
  for (const std::string& name : names) {
    if (has_setting(name)) continue;
    base::raise(
        ErrorCode::kInvalidArgument,
        "[Runtime] unknown setting {}: neither the library nor a plugin found here has it{}. "
        "Correct {}.",
        base::quote(name), base::hint_nearest(name, settings_), origin);
  }
}

std::vector<std::string> Vocabulary::check_variables(
    const std::vector<std::string>& variables) const {
  const std::size_t num_common = base::variable_of("").size();
  std::vector<std::string> known, ignored;
  for (const std::string& setting : settings_) known.push_back(base::variable_of(setting));
  const auto is_open = [this](std::string_view variable) {
    return std::any_of(open_prefixes_.begin(), open_prefixes_.end(),
                       [variable](const std::string& prefix) {
                         return variable.starts_with(base::variable_of(prefix));
                       });
  };
  for (const std::string& variable : variables) {
    if (contains(known, variable) || is_open(variable) || is_for_others(variable)) continue;
    const std::string text =
        fmt::format("unknown variable {}: neither the library nor a plugin found here has it",
                    base::quote(variable));
    const bool is_misspelt = std::any_of(known.begin(), known.end(), [&](const std::string& other) {
      return base::is_nearly(variable, other, num_common);
    });
    if (is_misspelt) {
      base::raise(ErrorCode::kInvalidArgument, "[Runtime] {}{}. Correct or unset it.", text,
                  base::hint_nearest(variable, known, num_common));
    }
    ignored.push_back(text);
  }
  return ignored;
}

std::string Vocabulary::describe_plugin(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& [plugin, backend] : plugins_) found.push_back(base::one_line(plugin));
  return fmt::format("no plugin {} was found: found are [{}]", base::quote(name),
                     fmt::join(found, ", "));
}

void Vocabulary::check_plugins(const std::vector<std::string>& names,
                               std::string_view origin) const {
  for (const std::string& name : names) {
    if (plugins_.contains(name)) continue;
    base::raise(ErrorCode::kInvalidArgument, "[Runtime] {}{}. Correct {}.", describe_plugin(name),
                hint_plugin(name, plugins_), origin);
  }
}

std::vector<std::string> Vocabulary::check_plugins_of_variable(
    const std::vector<std::string>& names, std::string_view variable) const {
  std::vector<std::string> ignored;
  for (const std::string& name : names) {
    if (plugins_.contains(name)) continue;
    const bool is_misspelt = std::any_of(plugins_.begin(), plugins_.end(), [&](const auto& one) {
      return one.second == name || base::is_nearly(name, one.first);
    });
    if (is_misspelt) check_plugins({name}, base::variable_of("plugins"));
    ignored.push_back(fmt::format("{}, {} names it", describe_plugin(name), variable));
  }
  const bool is_none_left = ignored.size() == names.size();
  if (is_none_left) check_plugins(names, base::variable_of("plugins"));
  return ignored;
}

std::vector<std::string> Vocabulary::check_devices_of_variable(
    const std::vector<std::string>& devices, std::string_view variable) const {
  std::set<std::string> known;
  for (const auto& [plugin, backend] : plugins_) {
    if (!backend.empty()) known.insert(base::one_line(backend));
  }
  const std::vector<std::string> names(known.begin(), known.end());
  std::vector<std::string> ignored;
  for (const std::string& device : devices) {
    const std::string backend = DeviceName::parse(device).backend;
    if (known.contains(backend)) continue;
    const std::string text =
        fmt::format("no backend {} was found for the visible device {}: found are [{}]",
                    base::quote(backend), base::quote(device), fmt::join(names, ", "));
    // A name of three letters is too short to be called misspelt: tpu is another device than cpu.
    const bool is_misspelt = backend.size() > 3 && std::ranges::any_of(names, [&](const auto& one) {
                               return base::is_nearly(backend, one);
                             });
    const bool is_last = ignored.size() + 1 == devices.size();  // no device is left
    if (is_misspelt || is_last) {
      base::raise(ErrorCode::kInvalidArgument, "[Runtime] {}{}. Correct or unset {}.", text,
                  base::hint_nearest(backend, names), variable);
    }
    ignored.push_back(fmt::format("{}, {} names it", text, variable));
  }
  return ignored;
}

std::vector<std::string> check_names(const RuntimeOptions& options,
                                     const base::Environment& environment,
                                     const std::vector<std::string>& wanted_plugins,
                                     const std::vector<std::string>& visible_devices,
                                     const std::vector<Candidate>& candidates) {
  Vocabulary known;
  for (const Candidate& candidate : candidates) known.add(candidate);
  // A variable may be meant for another runtime of the process, which searches these directories.
  RuntimeOptions everywhere;
  for (const Candidate& candidate :
       find_candidates(everywhere, search_directories(everywhere, environment))) {
    known.add(candidate);
  }
  known.check_settings(environment.names_in_code(), "RuntimeOptions::settings");
  std::vector<std::string> ignored = known.check_variables(environment.variables());
  const auto ignore = [&](std::vector<std::string> more) {
    ignored.insert(ignored.end(), more.begin(), more.end());
  };
  const std::string plugins = environment.quote_variable("plugins"),
                    devices = environment.quote_variable("visible_devices");
  if (!options.plugins.empty()) {
    known.check_plugins(wanted_plugins, "RuntimeOptions::plugins");
  } else if (plugins.empty()) {
    known.check_plugins(wanted_plugins, "RuntimeOptions::settings");
  } else {
    ignore(known.check_plugins_of_variable(wanted_plugins, plugins));
  }
  if (options.visible_devices.empty() && !devices.empty()) {
    ignore(known.check_devices_of_variable(visible_devices, devices));
  }
  return ignored;
}

}  // namespace patchbay::runtime

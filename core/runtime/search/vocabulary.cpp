// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/search/vocabulary.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  return hint_nearest(name, names);
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
    raise(ErrorCode::kInvalidArgument,
          "[Runtime] unknown setting {}: neither the library nor a plugin found here has it{}. "
          "Correct {}.",
          quote(name), hint_nearest(name, settings_), origin);
  }
}

void Vocabulary::check_variables(const std::vector<std::string>& variables) const {
  std::vector<std::string> known;
  for (const std::string& setting : settings_) known.push_back(variable_of(setting));
  const auto is_open = [this](std::string_view variable) {
    return std::any_of(open_prefixes_.begin(), open_prefixes_.end(),
                       [variable](const std::string& prefix) {
                         return variable.starts_with(variable_of(prefix));
                       });
  };
  for (const std::string& variable : variables) {
    if (contains(known, variable) || is_open(variable) || is_for_others(variable)) continue;
    raise(ErrorCode::kInvalidArgument,
          "[Runtime] unknown variable {}: neither the library nor a plugin found here has it{}. "
          "Correct or unset it.",
          quote(variable), hint_nearest(variable, known, variable_of("").size()));
  }
}

void Vocabulary::check_plugins(const std::vector<std::string>& names,
                               std::string_view origin) const {
  for (const std::string& name : names) {
    if (plugins_.contains(name)) continue;
    std::vector<std::string> found;
    for (const auto& [plugin, backend] : plugins_) found.push_back(one_line(plugin));
    raise(ErrorCode::kInvalidArgument,
          "[Runtime] no plugin {} was found: found are [{}]{}. Correct {}.", quote(name),
          fmt::join(found, ", "), hint_plugin(name, plugins_), origin);
  }
}

void check_names(const RuntimeOptions& options, const Environment& environment,
                 const std::vector<std::string>& wanted_plugins,
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
  known.check_variables(environment.variables());
  known.check_plugins(wanted_plugins,
                      options.plugins.empty() ? "PATCHBAY_PLUGINS" : "RuntimeOptions::plugins");
}

}  // namespace patchbay::runtime

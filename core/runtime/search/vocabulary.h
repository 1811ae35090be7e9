// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The names of settings and plugins that a runtime knows, to report misspelt ones.
#ifndef PATCHBAY_CORE_RUNTIME_SEARCH_VOCABULARY_H_
#define PATCHBAY_CORE_RUNTIME_SEARCH_VOCABULARY_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/environment.h"
#include "core/runtime/search/candidate.h"

namespace patchbay::runtime {

/// Whether the setting belongs to the library itself. Plugins may read it too.
bool is_own_setting(std::string_view name);

/// Collects names from the notes of all plugins, also filtered and refused ones: their settings are
/// not mistakes.
class Vocabulary {
 public:
  /// Starts with the library's own settings.
  Vocabulary();

  void add(const Candidate& candidate);

  /// Errors: kInvalidArgument for the first unknown name, with the nearest known one. `origin` says
  /// where the names come from.
  void check_settings(const std::vector<std::string>& names, std::string_view origin) const;
  /// Refuses a variable whose name is nearly a known one. Others may be meant for a
  /// plugin that is not here. Returns a sentence for each of these. Ignores those of tests and of
  /// CMake.
  std::vector<std::string> check_variables(const std::vector<std::string>& variables) const;
  /// Refuses unknown plugins that the program names. If the name is a backend's, the error names
  /// its plugin.
  void check_plugins(const std::vector<std::string>& names, std::string_view origin) const;
  /// Refuses an unknown plugin that a variable names if it has nearly a known name or the name
  /// of a backend, or if none of its plugins is there. Returns a sentence for each of the others.
  std::vector<std::string> check_plugins_of_variable(const std::vector<std::string>& names,
                                                     std::string_view variable) const;
  /// Checks the backends of visible devices in a variable as check_plugins_of_variable does.
  std::vector<std::string> check_devices_of_variable(const std::vector<std::string>& devices,
                                                     std::string_view variable) const;

 private:
  bool has_setting(std::string_view name) const;
  std::string describe_plugin(std::string_view name) const;

  std::vector<std::string> settings_;
  std::vector<std::string> open_prefixes_;      // of plugins that declare none
  std::map<std::string, std::string> plugins_;  // name and, if known, backend
};

/// ", the nearest is 'devices'"; for a backend's name, its plugin; empty if there is none.
std::string hint_plugin(std::string_view name, const std::map<std::string, std::string>& plugins);

/// Checks the names of a runtime's settings, of the variables that it reads, and of the plugins and
/// visible devices that it wants. Errors: kInvalidArgument for an unknown name in the program, and
/// for one in a variable that is nearly a known one or leaves no device. Returns a sentence for
/// each other one, which is ignored.
std::vector<std::string> check_names(const RuntimeOptions& options,
                                     const base::Environment& environment,
                                     const std::vector<std::string>& wanted_plugins,
                                     const std::vector<std::string>& visible_devices,
                                     const std::vector<Candidate>& candidates);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_SEARCH_VOCABULARY_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which settings and plugins a runtime can be asked for, so that misspelt names are errors.
#ifndef PATCHBAY_CORE_RUNTIME_SEARCH_VOCABULARY_H_
#define PATCHBAY_CORE_RUNTIME_SEARCH_VOCABULARY_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/environment.h"
#include "core/runtime/search/candidate.h"

namespace patchbay::runtime {

/// A setting of the library itself; plugins may read those too.
bool is_own_setting(std::string_view name);

/// Learns names from the notes of plugins, whatever becomes of these: a setting of a plugin that is
/// filtered or refused is no mistake.
class Vocabulary {
 public:
  /// Knows the settings of the library itself.
  Vocabulary();

  void add(const Candidate& candidate);

  /// Errors: kInvalidArgument for the first name that nobody has; it names the nearest, and
  /// `origin`, where the names are from.
  void check_settings(const std::vector<std::string>& names, std::string_view origin) const;
  /// The same for variables; those of tests and of CMake are passed over.
  void check_variables(const std::vector<std::string>& variables) const;
  /// The same for plugins. For the name of a backend the error says which plugin has that.
  void check_plugins(const std::vector<std::string>& names, std::string_view origin) const;

 private:
  bool has_setting(std::string_view name) const;

  std::vector<std::string> settings_;
  std::vector<std::string> open_prefixes_;      // of plugins that declare no settings
  std::map<std::string, std::string> plugins_;  // name, and backend as far as known
};

/// ", the nearest is 'devices'", or nothing if there is none; for a backend its plugin.
std::string hint_plugin(std::string_view name, const std::map<std::string, std::string>& plugins);

/// Checks the names of a runtime's settings, of the variables that it reads, and of the plugins
/// that it is to have. Errors: kInvalidArgument for a name that nobody knows.
void check_names(const RuntimeOptions& options, const Environment& environment,
                 const std::vector<std::string>& wanted_plugins,
                 const std::vector<Candidate>& candidates);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_SEARCH_VOCABULARY_H_

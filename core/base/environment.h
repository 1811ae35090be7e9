// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where the runtime's settings come from.
#ifndef PATCHBAY_CORE_BASE_ENVIRONMENT_H_
#define PATCHBAY_CORE_BASE_ENVIRONMENT_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::base {

/// True if the process runs with raised privileges (set-uid and the like), or has given up some and
/// may take them back: its real, effective and saved user or group differ now.
bool has_raised_privileges();

/// The variable of a setting: "PATCHBAY_CPU_DEVICES" for "cpu_devices".
std::string variable_of(std::string_view setting);

/// The program's settings first, then PATCHBAY_<NAME> if the environment may be read.
class Environment {
 public:
  /// Copies the variables of the process. The caller makes sure that no plugin is opened meanwhile:
  /// a driver may set a variable then, which may free the list that is read here.
  Environment(std::map<std::string, std::string> settings, bool read_environment);

  /// A copy in which `settings` take precedence.
  Environment with(std::map<std::string, std::string> settings) const;
  /// The setting with this lower-case name.
  std::optional<std::string> get(std::string_view name) const;
  /// Like get, but allocates nothing. Valid as long as this object.
  std::optional<std::string_view> find(std::string_view name) const noexcept;
  /// The value of HOME or XDG_CACHE_HOME, whether or not the settings may come from variables;
  /// empty if it is not set.
  std::string_view folder(std::string_view variable) const noexcept;
  /// The names of the program's own settings.
  std::vector<std::string> names_in_code() const;
  /// The names of all variables that begin with PATCHBAY_, if they are read; sorted.
  std::vector<std::string> variables() const;
  /// Whether variables count.
  bool reads_variables() const noexcept { return read_environment_; }
  /// Whether the setting is 1. Errors: kInvalidArgument if it is not 0, 1, empty or absent.
  bool is_on(std::string_view name) const;
  /// The names of the PATCHBAY_ variables that are ignored because the process has raised
  /// privileges; sorted.
  std::vector<std::string> ignored_variables() const;
  /// "PATCHBAY_PLUGINS='cuda'": the variable of a setting with its value, for messages; empty if
  /// the setting is not from there.
  std::string quote_variable(std::string_view name) const;
  /// Splits the setting at commas, trims spaces and drops empty parts.
  std::vector<std::string> get_list(std::string_view name) const;

 private:
  using Map = std::map<std::string, std::string, std::less<>>;
  std::vector<std::string> names_of_variables() const;

  Map settings_;
  Map variables_;  // PATCHBAY_<NAME>, HOME and XDG_CACHE_HOME
  bool wants_environment_, read_environment_;
};

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_ENVIRONMENT_H_

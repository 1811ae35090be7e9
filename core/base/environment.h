// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where the runtime's settings come from.
#ifndef PATCHBAY_CORE_BASE_ENVIRONMENT_H_
#define PATCHBAY_CORE_BASE_ENVIRONMENT_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::runtime {

/// True if the process runs with raised privileges (set-uid and the like).
bool has_raised_privileges();

/// "PATCHBAY_CPU_DEVICES" of "cpu_devices".
std::string variable_of(std::string_view setting);

/// Settings of the program first, then PATCHBAY_<NAME>, unless the environment is not to be read.
class Environment {
 public:
  Environment(std::map<std::string, std::string> settings, bool read_environment);

  /// The same with these settings before its own.
  Environment with(std::map<std::string, std::string> settings) const;
  /// The setting of that lower-case name.
  std::optional<std::string> get(std::string_view name) const;
  /// The same without a copy, for it takes no memory: valid until the variable changes.
  std::optional<std::string_view> find(std::string_view name) const noexcept;
  /// The names that the program sets.
  std::vector<std::string> names_in_code() const;
  /// The variables PATCHBAY_<NAME> that are read, whatever follows the prefix; sorted.
  std::vector<std::string> variables() const;
  /// Whether it is 1. Errors: kInvalidArgument, if it is neither that nor 0, empty or absent.
  bool is_on(std::string_view name) const;
  /// The names of all of this library's variables that the process was given and that are not read
  /// because it has raised privileges; sorted.
  std::vector<std::string> ignored_variables() const;
  /// Split at commas, spaces trimmed, empty parts dropped.
  std::vector<std::string> get_list(std::string_view name) const;

 private:
  std::map<std::string, std::string> settings_;
  bool wants_environment_, read_environment_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_BASE_ENVIRONMENT_H_

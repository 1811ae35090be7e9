// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reads numbers in settings, and the small text files in which the kernel describes the machine.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TEXT_FILE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TEXT_FILE_HPP_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::cpu {

/// Throws PATCHBAY_INVALID_ARGUMENT, with the setting's name, if `text` is no such integer.
int parse_setting(const char* name, const std::string& text, int lowest, int highest);

std::optional<std::string> read_file(const std::string& path);
/// The number at the start of the text.
std::optional<long long> parse_number(std::string_view text);
std::optional<long long> read_number(const std::string& path);
/// The value in the first line "<key><blanks>: <value>".
std::optional<std::string> find_field(std::string_view text, std::string_view key);

/// The control group that limits one resource of this process.
struct ControlGroup {
  int version;
  std::vector<std::string> folders;  // the group, then its parents up to the mount
};

/// `controller`: "cpu" or "memory". `root` is only set by tests.
std::vector<ControlGroup> control_groups(const std::string& root, std::string_view controller);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TEXT_FILE_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/environment.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "core/runtime/error.h"

namespace patchbay::runtime {
namespace {

constexpr std::string_view kVariable = "PATCHBAY_";

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
char to_upper(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

std::string variable_of(std::string_view name) {
  std::string variable(kVariable);
  for (const char c : name) variable += to_upper(c);
  return variable;
}

/// The variables' settings that begin so.
void add_variables(std::string_view prefix, std::set<std::string>& names) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view name(*entry);
    name = name.substr(0, name.find('='));
    if (!name.starts_with(kVariable) || std::any_of(name.begin(), name.end(), is_lower)) continue;
    std::string setting(name.substr(kVariable.size()));
    std::transform(setting.begin(), setting.end(), setting.begin(), to_lower);
    if (setting.starts_with(prefix)) names.insert(std::move(setting));
  }
}

}  // namespace

bool has_raised_privileges() { return getauxval(AT_SECURE) != 0; }

Environment::Environment(std::map<std::string, std::string> settings, bool read_environment)
    : settings_(std::move(settings)),
      wants_environment_(read_environment),
      read_environment_(read_environment && !has_raised_privileges()) {}

std::optional<std::string_view> Environment::find(std::string_view name) const noexcept {
  for (const auto& [key, value] : settings_) {
    if (key == name) return value;
  }
  std::array<char, 256> variable{};  // ends with zeros
  if (!read_environment_ || kVariable.size() + name.size() >= variable.size()) return std::nullopt;
  const auto end = std::copy(kVariable.begin(), kVariable.end(), variable.begin());
  std::transform(name.begin(), name.end(), end, to_upper);
  const char* const value = std::getenv(variable.data());
  return value != nullptr ? std::optional<std::string_view>(value) : std::nullopt;
}

std::optional<std::string> Environment::get(std::string_view name) const {
  if (name.ends_with('*')) {
    const std::string_view prefix = name.substr(0, name.size() - 1);
    std::set<std::string> names;
    for (const auto& [key, value] : settings_) {
      if (key.starts_with(prefix)) names.insert(key);
    }
    if (read_environment_) add_variables(prefix, names);
    if (names.empty()) return std::nullopt;
    return fmt::format("{}", fmt::join(names, "\n"));
  }
  const auto found = find(name);
  return found ? std::optional<std::string>(*found) : std::nullopt;
}

std::vector<std::string> Environment::ignored_variables() const {
  if (!wants_environment_ || read_environment_) return {};
  std::set<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view name(*entry, std::strcspn(*entry, "="));
    if (name.starts_with(kVariable)) names.insert(one_line(name));
  }
  return {names.begin(), names.end()};
}

bool Environment::is_on(std::string_view name) const {
  const std::string value = get(name).value_or("");
  if (value.empty() || value == "0") return false;
  if (value == "1") return true;
  raise(ErrorCode::kInvalidArgument,
        "[Runtime] bad setting '{}': expected 0 or 1, got {}. Correct {} or "
        "RuntimeOptions::settings.",
        name, quote(value), variable_of(name));
}

std::vector<std::string> Environment::get_list(std::string_view name) const {
  std::vector<std::string> parts;
  const std::string text = get(name).value_or("");
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    part.erase(0, part.find_first_not_of(" \t"));
    part.erase(part.find_last_not_of(" \t") + 1);
    if (!part.empty()) parts.push_back(std::move(part));
    begin = end + 1;
  }
  return parts;
}

}  // namespace patchbay::runtime

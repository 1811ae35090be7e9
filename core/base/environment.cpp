// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/base/environment.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>

#include "core/base/error.h"

namespace patchbay::runtime {
namespace {

constexpr std::string_view kVariable = "PATCHBAY_";

char to_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// The process's variables that begin with PATCHBAY_.
std::vector<std::string> variables_of_process() {
  std::set<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view name(*entry, std::strcspn(*entry, "="));
    if (name.starts_with(kVariable)) names.emplace(name);
  }
  return {names.begin(), names.end()};
}

}  // namespace

std::string variable_of(std::string_view setting) {
  std::string variable(kVariable);
  for (const char c : setting) variable += to_upper(c);
  return variable;
}

bool has_raised_privileges() {
  uid_t user = 0, effective_user = 0, saved_user = 0;
  gid_t group = 0, effective_group = 0, saved_group = 0;
  getresuid(&user, &effective_user, &saved_user);
  getresgid(&group, &effective_group, &saved_group);
  return getauxval(AT_SECURE) != 0 || user != effective_user || user != saved_user ||
         group != effective_group || group != saved_group;
}

Environment::Environment(std::map<std::string, std::string> settings, bool read_environment)
    : settings_(std::move(settings)),
      wants_environment_(read_environment),
      read_environment_(read_environment && !has_raised_privileges()) {}

Environment Environment::with(std::map<std::string, std::string> settings) const {
  Environment result = *this;
  settings.merge(result.settings_);
  result.settings_ = std::move(settings);
  return result;
}

std::optional<std::string_view> Environment::find(std::string_view name) const noexcept {
  for (const auto& [key, value] : settings_) {
    if (key == name) return value;
  }
  std::array<char, 256> variable{};  // zero-terminated
  if (!read_environment_ || kVariable.size() + name.size() >= variable.size()) return std::nullopt;
  const auto end = std::copy(kVariable.begin(), kVariable.end(), variable.begin());
  std::transform(name.begin(), name.end(), end, to_upper);
  const char* const value = std::getenv(variable.data());
  return value != nullptr ? std::optional<std::string_view>(value) : std::nullopt;
}

std::optional<std::string> Environment::get(std::string_view name) const {
  const auto found = find(name);
  return found ? std::optional<std::string>(*found) : std::nullopt;
}

std::vector<std::string> Environment::names_in_code() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : settings_) names.push_back(name);
  return names;
}

std::vector<std::string> Environment::variables() const {
  return read_environment_ ? variables_of_process() : std::vector<std::string>();
}

std::vector<std::string> Environment::ignored_variables() const {
  const bool ignores = wants_environment_ && !read_environment_;
  return ignores ? variables_of_process() : std::vector<std::string>();
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

std::string Environment::quote_variable(std::string_view name) const {
  const auto value = settings_.contains(std::string(name)) ? std::nullopt : get(name);
  return value ? fmt::format("{}={}", variable_of(name), quote(*value)) : std::string();
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

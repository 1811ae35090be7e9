// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/base/environment.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/base/error.h"

namespace patchbay::base {
namespace {

constexpr std::string_view kVariable = "PATCHBAY_";

char to_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// Whether the library ever reads it.
bool is_read(std::string_view variable) {
  return variable.starts_with(kVariable) || variable == "HOME" || variable == "XDG_CACHE_HOME";
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
    : settings_(std::make_move_iterator(settings.begin()), std::make_move_iterator(settings.end())),
      wants_environment_(read_environment),
      read_environment_(read_environment && !has_raised_privileges()) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry, name = text.substr(0, text.find('='));
    // Of two with one name the first counts, as for getenv.
    if (name.size() < text.size() && is_read(name)) {
      variables_.try_emplace(std::string(name), text.substr(name.size() + 1));
    }
  }
}

Environment Environment::with(std::map<std::string, std::string> settings) const {
  Environment result = *this;
  for (auto& [name, value] : settings) result.settings_[name] = std::move(value);
  return result;
}

std::optional<std::string_view> Environment::find(std::string_view name) const noexcept {
  if (const auto set = settings_.find(name); set != settings_.end()) return set->second;
  std::array<char, 256> variable{};
  if (!read_environment_ || kVariable.size() + name.size() >= variable.size()) return std::nullopt;
  const auto end = std::copy(kVariable.begin(), kVariable.end(), variable.begin());
  const auto last = std::transform(name.begin(), name.end(), end, to_upper);
  const auto found = variables_.find(std::string_view(variable.begin(), last));
  return found != variables_.end() ? std::optional<std::string_view>(found->second) : std::nullopt;
}

std::string_view Environment::folder(std::string_view variable) const noexcept {
  const auto found = variables_.find(variable);
  return found != variables_.end() ? std::string_view(found->second) : std::string_view();
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

std::vector<std::string> Environment::names_of_variables() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : variables_) {
    if (name.starts_with(kVariable)) names.push_back(name);
  }
  return names;
}

std::vector<std::string> Environment::variables() const {
  return read_environment_ ? names_of_variables() : std::vector<std::string>();
}

std::vector<std::string> Environment::ignored_variables() const {
  const bool ignores = wants_environment_ && !read_environment_;
  return ignores ? names_of_variables() : std::vector<std::string>();
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

}  // namespace patchbay::base

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/threads/text_file.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "patchbay/plugin/kit/host.hpp"

namespace patchbay::cpu {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// Whether `name` is one of the comma-separated words.
bool lists(std::string_view words, std::string_view name) {
  std::istringstream stream{std::string(words)};
  for (std::string word; std::getline(stream, word, ',');) {
    if (word == name) return true;
  }
  return false;
}

/// `mount` + `path` and its parents. Inside a container the path may exist only on the host; then
/// the mount itself is the group.
std::vector<std::string> folders_up(const std::string& mount, std::string path) {
  std::vector<std::string> folders;
  while (path.size() > 1 && path.front() == '/') {
    folders.push_back(mount + path);
    path.erase(path.find_last_of('/'));
  }
  folders.push_back(mount);
  return folders;
}

}  // namespace

int parse_setting(const char* name, const std::string& text, int lowest, int highest) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < lowest || value > highest) {
    plugin::refuse_setting(
        name, "a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest),
        text);
  }
  return value;
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::optional<long long> parse_number(std::string_view text) {
  long long value = 0;
  const std::string_view digits = trim(text);
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

std::optional<long long> read_number(const std::string& path) {
  const auto text = read_file(path);
  return text ? parse_number(*text) : std::nullopt;
}

std::optional<std::string> find_field(std::string_view text, std::string_view key) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && trim(line.substr(0, colon)) == key) {
      return std::string(trim(line.substr(colon + 1)));
    }
    begin = end + 1;
  }
  return std::nullopt;
}

std::vector<ControlGroup> control_groups(const std::string& root, std::string_view controller) {
  std::vector<ControlGroup> groups;
  std::istringstream lines(read_file(root + "/proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {  // "4:cpu,cpuacct:/path" or "0::/path"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (names.empty()) {
      groups.push_back({2, folders_up(root + "/sys/fs/cgroup", path)});
    } else if (lists(names, controller)) {
      const std::string mount = root + "/sys/fs/cgroup/" + std::string(controller);
      groups.push_back({1, folders_up(mount, path)});
    }
  }
  return groups;
}

}  // namespace patchbay::cpu

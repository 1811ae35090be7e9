// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/machine/control_group.hpp"

#include <sstream>

#include "kit/machine/text_file.hpp"

namespace patchbay::machine {
namespace {

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

}  // namespace patchbay::machine

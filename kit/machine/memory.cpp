// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/machine/memory.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

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

namespace {

std::uint64_t as_bytes(std::optional<long long> value) {
  return value && *value > 0 ? static_cast<std::uint64_t>(*value) : 0;
}

/// "12345 kB"
std::uint64_t kilobytes(const std::string& text, const char* key) {
  const auto field = find_field(text, key);
  return field ? as_bytes(parse_number(*field)) * 1024 : 0;
}

/// The page cache counts as used, but can be reclaimed.
std::uint64_t reclaimable(const std::string& folder, const std::string& key) {
  const std::string text = read_file(folder + "/memory.stat").value_or("");
  const std::size_t place = text.find("\n" + key + " ");
  if (place == std::string::npos) return 0;
  return as_bytes(parse_number(std::string_view(text).substr(place + key.size() + 2)));
}

void limit(MemoryState& state, std::uint64_t most, std::uint64_t used, std::uint64_t reclaim) {
  // Without a limit the kernel reports a number larger than the memory.
  if (most == 0 || most >= state.total_bytes) return;
  state.total_bytes = most;
  used -= std::min(used, reclaim);
  state.free_bytes = std::min(state.free_bytes, most - std::min(most, used));
}

}  // namespace

MemoryState read_memory_state(const std::string& root) {
  const std::string text = read_file(root + "/proc/meminfo").value_or("");
  MemoryState state{kilobytes(text, "MemAvailable"), kilobytes(text, "MemTotal")};
  for (const ControlGroup& group : control_groups(root, "memory")) {
    for (const std::string& folder : group.folders) {
      if (group.version == 2) {
        limit(state, as_bytes(read_number(folder + "/memory.max")),
              as_bytes(read_number(folder + "/memory.current")),
              reclaimable(folder, "inactive_file"));
      } else {
        limit(state, as_bytes(read_number(folder + "/memory.limit_in_bytes")),
              as_bytes(read_number(folder + "/memory.usage_in_bytes")),
              reclaimable(folder, "total_inactive_file"));
      }
    }
  }
  return state;
}

}  // namespace patchbay::machine

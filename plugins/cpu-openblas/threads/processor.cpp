// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/threads/processor.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "cpu-openblas/threads/text_file.hpp"

namespace patchbay::cpu {
namespace {

std::string machine_name() {
  utsname names{};
  return uname(&names) == 0 ? names.machine : "CPU";
}

/// From the kernel ("32768K"), because the C library multiplies the size of shared caches.
std::int64_t last_level_cache() {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index";
  for (const char* level : {"4", "3", "2"}) {
    const std::string text = read_file(folder + level + "/size").value_or("");
    const auto kilobytes = parse_number(std::string_view(text).substr(0, text.find('K')));
    if (kilobytes && *kilobytes > 0) return *kilobytes << 10;
  }
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : 8 << 20;
}

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

Processor describe_processor() {
  const std::string text = read_file("/proc/cpuinfo").value_or("");
  return {find_field(text, "model name").value_or(machine_name()),
          find_field(text, "vendor_id").value_or(machine_name()), last_level_cache()};
}

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

}  // namespace patchbay::cpu

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/threads/topology.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/threads/setting.hpp"
#include "kit/machine/memory.hpp"
#include "kit/machine/text_file.hpp"

namespace patchbay::cpu {
namespace {

using machine::ControlGroup;
using machine::find_field;
using machine::parse_number;
using machine::read_file;
using machine::read_number;

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

}  // namespace

Processor describe_processor() {
  const std::string text = read_file("/proc/cpuinfo").value_or("");
  const std::string name = find_field(text, "model name").value_or(machine_name());
  return {name, find_field(text, "vendor_id").value_or(machine_name()),
          name + ", family " + find_field(text, "cpu family").value_or("?") + ", model " +
              find_field(text, "model").value_or("?"),
          last_level_cache()};
}

namespace {

constexpr int kMaxDevices = 256;  // device names have the indices 0 to 255
constexpr int kMaxThreads = 1024;

/// quota / period, rounded up; 0 means no limit.
int cores_of(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<int>(std::min<long long>((quota + period - 1) / period, kMaxThreads));
}

int quota_v1(const std::string& folder) {
  return cores_of(read_number(folder + "/cpu.cfs_quota_us").value_or(-1),
                  read_number(folder + "/cpu.cfs_period_us").value_or(0));
}

/// cpu.max holds "max 100000" or "150000 100000".
int quota_v2(const std::string& folder) {
  const std::string text = read_file(folder + "/cpu.max").value_or("");
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return 0;
  return cores_of(parse_number(text.substr(0, space)).value_or(-1),
                  parse_number(text.substr(space + 1)).value_or(0));
}

}  // namespace

std::vector<int> allowed_cores() {
  // The kernel determines the mask's size; it returns EINVAL if the set is too small.
  for (int size = 1024; size <= 1 << 20; size *= 4) {
    std::vector<int> cores;
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(size));
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(size));
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    for (int core = 0; known && core < size; ++core) {
      if (CPU_ISSET_S(static_cast<std::size_t>(core), bytes, set)) cores.push_back(core);
    }
    CPU_FREE(set);
    if (!cores.empty()) return cores;
  }
  return {0};
}

int quota_cores(const std::string& root, int unlimited) {
  int least = unlimited;
  for (const ControlGroup& group : machine::control_groups(root, "cpu")) {
    for (const std::string& folder : group.folders) {
      const int cores = group.version == 2 ? quota_v2(folder) : quota_v1(folder);
      if (cores > 0) least = std::min(least, cores);
    }
  }
  return least;
}

std::vector<Share> plan_shares(const std::vector<int>& cores, int quota,
                               const std::optional<std::string>& devices,
                               const std::optional<std::string>& threads) {
  const int num_devices = devices ? parse_setting("cpu_devices", *devices, 1, kMaxDevices) : 1;
  const int num_threads = threads ? parse_setting("cpu_threads", *threads, 1, kMaxThreads) : 0;
  const int num_cores = std::clamp(quota, 1, static_cast<int>(cores.size()));
  const int each = std::max(1, num_cores / num_devices);
  std::vector<Share> shares(static_cast<std::size_t>(num_devices));
  for (int device = 0; device < num_devices; ++device) {
    Share& share = shares[static_cast<std::size_t>(device)];
    share.own_threads = num_devices > 1;
    share.num_threads = num_threads > 0 ? num_threads : each;
    // A single device uses the whole mask, because the quota does not name cores. If there are more
    // devices than cores, they share cores.
    const int count = num_devices == 1 ? static_cast<int>(cores.size()) : each;
    for (int i = 0; i < count; ++i) {
      share.cores.push_back(cores[static_cast<std::size_t>(device * each + i) % cores.size()]);
    }
  }
  return shares;
}

}  // namespace patchbay::cpu

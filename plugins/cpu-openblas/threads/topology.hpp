// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The processor, the cores of it that this process may use, and their distribution to devices.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TOPOLOGY_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TOPOLOGY_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace patchbay::cpu {

/// The name of the processor, and its cache. `identity` also tells apart those that a virtual
/// machine gives one name.
struct Processor {
  std::string name, vendor, identity;
  std::int64_t last_level_cache_bytes;
};
Processor describe_processor();

/// The threads and cores of a device.
struct Share {
  std::vector<int> cores;  // the operating system's numbers; not empty
  int num_threads = 1;
  bool own_threads = false;  // all work runs on own threads; otherwise the caller is one of them
};

/// The cores in this process's affinity mask, ascending; never empty.
std::vector<int> allowed_cores();

/// The control group's quota in cores, rounded up; `unlimited` without one. Reads versions 1 and 2
/// below `root`, at each level from the process's group to the top.
int quota_cores(const std::string& root, int unlimited);

/// Equal shares for `devices` devices (default 1) with `threads` threads each (default: one per
/// core of the share): the user's options cpu_devices and cpu_threads. Throws on bad values.
std::vector<Share> plan_shares(const std::vector<int>& cores, int quota,
                               const std::optional<std::string>& devices,
                               const std::optional<std::string>& threads);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TOPOLOGY_HPP_

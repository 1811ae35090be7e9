// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which cores this process may use, and how devices share them.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TOPOLOGY_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TOPOLOGY_HPP_

#include <optional>
#include <string>
#include <vector>

namespace patchbay::cpu {

/// What one device computes with.
struct Share {
  std::vector<int> cores;  // numbers of the operating system's; not empty
  int num_threads = 1;
  bool own_threads = false;  // all work runs on them; else the caller is one of them
};

/// The cores in this process's affinity mask, ascending; never empty.
std::vector<int> allowed_cores();

/// How many cores the control group's quota is worth, rounded up; `unlimited` without one. Reads
/// versions 1 and 2 below `root`, at each level from the process's group to the top.
int quota_cores(const std::string& root, int unlimited);

/// Equal shares for `devices` ("1" if not set) devices of `threads` (one for each core of the
/// share) threads; these are the user's options cpu_devices and cpu_threads. Throws on bad values.
std::vector<Share> plan_shares(const std::vector<int>& cores, int quota,
                               const std::optional<std::string>& devices,
                               const std::optional<std::string>& threads);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TOPOLOGY_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/api/processors.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "opencl/api/device_info.hpp"

namespace patchbay::opencl {
namespace {

/// The files that hwloc, which PoCL uses to count processors, requires.
constexpr const char* kTopology[] = {
    "/sys/devices/system/cpu/cpu0/topology/core_cpus",
    "/sys/devices/system/cpu/cpu0/topology/core_siblings",
    "/sys/devices/system/cpu/cpu0/topology/package_cpus",
    "/sys/devices/system/cpu/cpu0/topology/thread_siblings",
    "/sys/bus/cpu/devices/cpu0/topology/core_cpus",
    "/sys/bus/cpu/devices/cpu0/topology/core_siblings",
    "/sys/bus/cpu/devices/cpu0/topology/package_cpus",
    "/sys/bus/cpu/devices/cpu0/topology/thread_siblings",
};

}  // namespace

std::string why_not_ask(const std::string& platform) {
  if (platform != kPocl) return {};
  const bool shows_processors =
      std::any_of(std::begin(kTopology), std::end(kTopology),
                  [](const char* path) { return access(path, R_OK) == 0; });
  if (shows_processors) return {};
  return "platform '" + platform +
         "' needs /sys/devices/system/cpu, without which it ends the process: mount sysfs at /sys";
}

}  // namespace patchbay::opencl

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "bench/networks/process_memory.h"

#include <fstream>
#include <string>

namespace networks {
namespace {

std::uint64_t status_of(const char* wanted) {
  std::ifstream status("/proc/self/status");
  std::string key;
  while (status >> key) {
    std::uint64_t kibibytes = 0;
    if (key == wanted && status >> kibibytes) return kibibytes * 1024;
    std::getline(status, key);
  }
  return 0;
}

}  // namespace

std::uint64_t resident_bytes() { return status_of("VmRSS:"); }
std::uint64_t peak_resident_bytes() { return status_of("VmHWM:"); }
void reset_peak() { std::ofstream("/proc/self/clear_refs") << 5; }  // proc(5)

}  // namespace networks

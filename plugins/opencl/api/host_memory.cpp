// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/api/host_memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace patchbay::opencl {

std::uint64_t host_memory_available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    std::uint64_t kilobytes = 0;
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes << 10;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace patchbay::opencl

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "examples/common/memory.h"

#include <fstream>
#include <string>

namespace examples {

std::uint64_t peak_process_bytes() {
  std::ifstream status("/proc/self/status");
  std::string key;
  while (status >> key) {
    std::uint64_t kibibytes = 0;
    if (key == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
    std::getline(status, key);
  }
  return 0;
}

}  // namespace examples

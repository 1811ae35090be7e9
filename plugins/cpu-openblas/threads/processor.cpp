// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/threads/processor.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include "kit/machine/text_file.hpp"

namespace patchbay::cpu {
namespace {

using machine::find_field;
using machine::parse_number;
using machine::read_file;

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
  return {find_field(text, "model name").value_or(machine_name()),
          find_field(text, "vendor_id").value_or(machine_name()), last_level_cache()};
}

}  // namespace patchbay::cpu

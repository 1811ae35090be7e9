// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Properties of the machine.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_PROCESSOR_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_PROCESSOR_HPP_

#include <cstdint>
#include <string>

namespace patchbay::cpu {

struct Processor {
  std::string name, vendor;
  std::int64_t last_level_cache_bytes;
};
Processor describe_processor();

struct MemoryState {
  std::uint64_t free_bytes, total_bytes;
};
/// The machine's memory, or that of the control group if it is less. `root` is only set by tests.
MemoryState read_memory_state(const std::string& root);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_PROCESSOR_HPP_

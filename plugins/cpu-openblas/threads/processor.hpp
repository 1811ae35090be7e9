// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The name of the processor, and its cache.
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

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_PROCESSOR_HPP_

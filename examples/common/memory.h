// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_EXAMPLES_COMMON_MEMORY_H_
#define PATCHBAY_EXAMPLES_COMMON_MEMORY_H_

#include <cstdint>

namespace examples {

/// The most memory that this process has held in RAM so far; 0 if the system does not say.
std::uint64_t peak_process_bytes();

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_COMMON_MEMORY_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory of this process as Linux counts it.
#ifndef PATCHBAY_BENCH_NETWORKS_PROCESS_MEMORY_H_
#define PATCHBAY_BENCH_NETWORKS_PROCESS_MEMORY_H_

#include <cstdint>

namespace networks {

/// What the process holds in RAM now, in bytes. 0 if the system does not say.
std::uint64_t resident_bytes();
/// The most since the start or the last reset_peak(). 0 if the system does not say.
std::uint64_t peak_resident_bytes();
/// Counts the peak from now on.
void reset_peak();

}  // namespace networks

#endif  // PATCHBAY_BENCH_NETWORKS_PROCESS_MEMORY_H_

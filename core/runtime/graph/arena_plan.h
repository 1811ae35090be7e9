// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where the temporaries of a graph lie in their block of memory.
#ifndef PATCHBAY_CORE_RUNTIME_GRAPH_ARENA_PLAN_H_
#define PATCHBAY_CORE_RUNTIME_GRAPH_ARENA_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay::runtime {

/// A temporary that is used from the step `first` to the step `last`.
struct Interval {
  std::uint32_t buffer;
  std::size_t size_bytes, first, last, offset;
};

/// Gives each an offset, so that those in use at once do not overlap, and returns the size of the
/// block. Takes n log n time, and up to 256 comparisons for each. `num_steps`, if given, receives
/// the number of comparisons.
std::size_t place(std::vector<Interval>& intervals, std::uint64_t* num_steps = nullptr);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_GRAPH_ARENA_PLAN_H_

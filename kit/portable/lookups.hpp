// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What gather and scatter_add share.
#ifndef PATCHBAY_KIT_PORTABLE_LOOKUPS_HPP_
#define PATCHBAY_KIT_PORTABLE_LOOKUPS_HPP_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/attributes.hpp"

#include "kit/loop_nest.hpp"
#include "kit/portable/base/backend.hpp"
#include "kit/portable/base/text.hpp"

namespace patchbay::portable {

inline constexpr std::int64_t kCpuRun = 64;  // elements or places of a CPU's work-item
inline constexpr std::int64_t kMostSingleItems = 1024;

inline std::int64_t run_of(const Traits& traits) { return traits.is_cpu ? kCpuRun : 1; }

/// CPU threads share groups, so few items get a group each.
inline Grid grid_of(std::int64_t items, const Traits& traits, const Function& function) {
  const std::uint64_t group = !traits.is_cpu ? 256 : items <= kMostSingleItems ? 1 : 64;
  return {{static_cast<std::uint64_t>(items), 1, 1},
          {std::min(group, function.max_group_size()), 1, 1}};
}

inline void check_shapes(std::string_view op, const patchbay_argument& elements,
                         const patchbay_argument& table, const patchbay_argument& index, int dim) {
  bool fits = elements.rank == index.rank && table.rank == index.rank && dim < index.rank;
  for (int d = 0; fits && d < index.rank; ++d) {
    fits = elements.shape[d] == index.shape[d] && (d == dim || table.shape[d] == index.shape[d]);
  }
  if (!fits) plugin::invalid_argument(std::string(op) + ": the shapes do not fit along dim");
}

using IndexNest = LoopNest<3>;

template <class Run>
inline void set_nest(Run& run, IndexNest nest) {
  nest.collapse();
  nest.pad(1);
  run.rank = nest.rank;
  for (int d = 0; d < nest.rank; ++d) {
    run.shape[d] = nest.shape[d];
    for (std::size_t k = 0; k < 3; ++k) run.strides[k][d] = nest.strides[k][d];
  }
}

/// The number of work-items, each of which takes a run of the last dimension.
template <class Run>
inline std::int64_t num_runs(const Run& run, const Traits& traits) {
  std::int64_t items = pieces(run.shape[run.rank - 1], run_of(traits));
  for (std::int64_t d = 0; d + 1 < run.rank; ++d) items *= run.shape[d];
  return items;
}

inline int dim_of(const patchbay_kernel_spec& spec) {
  return static_cast<int>(plugin::Attributes(spec).integer("dim"));
}

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_LOOKUPS_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Groups whose items work on one matrix together; on CPUs one item has it.
#ifndef PATCHBAY_KIT_PORTABLE_BASE_ITEM_GROUPS_HPP_
#define PATCHBAY_KIT_PORTABLE_BASE_ITEM_GROUPS_HPP_

#include <cstdint>

#include "kit/portable/base/backend.hpp"

namespace patchbay::portable {

/// The items of a group: texts/factors/numbers.pbk takes fewer than 16, or a multiple up to 64.
inline std::uint64_t items_of_group(const Traits& traits, const Function& function) {
  constexpr std::uint64_t kMostItems = 64, kSideBySide = 16;
  if (traits.is_cpu) return 1;
  const std::uint64_t most = function.max_group_size();
  return most >= kMostItems ? kMostItems : most >= kSideBySide ? kSideBySide : 1;
}

/// A group of one item needs no barriers, with which some compilers take minutes for these loops.
inline const char* barriers_of(const Traits& traits) {
  return traits.is_cpu ? "#undef PATCHBAY_BARRIER\n#define PATCHBAY_BARRIER()\n" : "";
}

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_BASE_ITEM_GROUPS_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Suggests a name for a misspelt one.
#ifndef PATCHBAY_CORE_BASE_NEAREST_H_
#define PATCHBAY_CORE_BASE_NEAREST_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::base {

/// ", the nearest is 'devices'": the name with the fewest letters to insert, drop, replace,
/// or swap with their neighbours, ignoring case; the first of several. Empty if each name would
/// need a change of more than half of its letters, of which the first `num_common`, which all names
/// share, do not count.
std::string hint_nearest(std::string_view name, const std::vector<std::string>& names,
                         std::size_t num_common = 0);

/// Whether it is probably a misspelt `known`: at most 2 letters, and fewer than half of them, to
/// insert, drop, replace, or swap with their neighbours, ignoring case. The first `num_common`
/// letters, which both have, do not count.
bool is_nearly(std::string_view name, std::string_view known, std::size_t num_common = 0);

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_NEAREST_H_

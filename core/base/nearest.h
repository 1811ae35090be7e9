// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Suggests a name for a misspelt one.
#ifndef PATCHBAY_CORE_BASE_NEAREST_H_
#define PATCHBAY_CORE_BASE_NEAREST_H_

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::runtime {

/// The name with the fewest letters to insert, drop or replace, ignoring case; the first of
/// several. Empty if there are no names.
std::string nearest(std::string_view name, const std::vector<std::string>& names);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_BASE_NEAREST_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TOOLS_MISSPELT_H_
#define PATCHBAY_TOOLS_MISSPELT_H_

#include <string>
#include <vector>

namespace patchbay::tools {

/// The known word with the fewest letters to change. `known` is not empty.
const std::string& nearest_to(const std::string& word, const std::vector<std::string>& known);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_MISSPELT_H_

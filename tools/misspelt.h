// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TOOLS_MISSPELT_H_
#define PATCHBAY_TOOLS_MISSPELT_H_

#include <string>

#include <CLI/CLI.hpp>

namespace patchbay::tools {

/// Explains the first word of a refused command line that is neither a command nor an option, with
/// the nearest valid one. Empty if there is no such word or nothing to compare it with.
std::string explain_unknown_word(const CLI::App& app);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_MISSPELT_H_

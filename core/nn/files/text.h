// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Texts of files and of users in messages.
#ifndef PATCHBAY_CORE_NN_FILES_TEXT_H_
#define PATCHBAY_CORE_NN_FILES_TEXT_H_

#include <string>
#include <string_view>

namespace patchbay::nn::files {

/// The text with control characters escaped.
std::string one_line(std::string_view text);
/// The same in quotes; long text is cut.
std::string in_quotes(std::string_view text);

}  // namespace patchbay::nn::files

#endif  // PATCHBAY_CORE_NN_FILES_TEXT_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reads the small text files in which the kernel describes the machine.
#ifndef PATCHBAY_KIT_MACHINE_TEXT_FILE_HPP_
#define PATCHBAY_KIT_MACHINE_TEXT_FILE_HPP_

#include <optional>
#include <string>
#include <string_view>

namespace patchbay::machine {

/// Nothing if the file can't be read.
std::optional<std::string> read_file(const std::string& path);
/// The number at the start of the text.
std::optional<long long> parse_number(std::string_view text);
std::optional<long long> read_number(const std::string& path);
/// The value in the first line "<key><blanks>: <value>".
std::optional<std::string> find_field(std::string_view text, std::string_view key);

}  // namespace patchbay::machine

#endif  // PATCHBAY_KIT_MACHINE_TEXT_FILE_HPP_

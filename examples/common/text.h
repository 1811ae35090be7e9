// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Text of the user's, and numbers for the user.
#ifndef PATCHBAY_EXAMPLES_COMMON_TEXT_H_
#define PATCHBAY_EXAMPLES_COMMON_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace examples {

/// In quotes, on one line whatever is in it.
std::string in_quotes(std::string_view text);
/// "60,000"
std::string grouped(std::uint64_t value);
/// "1.5 GiB"
std::string readable_bytes(std::uint64_t bytes);
/// A whole number from 1 to `max`. Error: kInvalidArgument, which names the option and says what
/// `max` is ("the training images").
std::int64_t parse_count(std::string_view option, std::string_view text, std::int64_t max,
                         std::string_view what_max_is);

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_COMMON_TEXT_H_

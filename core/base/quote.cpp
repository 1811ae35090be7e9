// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Texts of others in messages. A source of its own, because libpatchbay hides it and libpatchbay-nn
// compiles it again.
#include <algorithm>
#include <cstddef>

#include "core/base/error.h"

namespace patchbay::base {

namespace {

/// The length of the character of UTF-8 that begins at `at`; 0 if none does, or one that controls a
/// terminal: U+0000 to U+001F and U+007F to U+009F.
std::size_t printed_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf5   ? 0
                             : first >= 0xf0 ? 4
                             : first >= 0xe0 ? 3
                             : first >= 0xc2 ? 2
                                             : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(at + 1);
  const bool is_wrong = (first == 0xc2 && second < 0xa0) || (first == 0xe0 && second < 0xa0) ||
                        (first == 0xed && second >= 0xa0) || (first == 0xf0 && second < 0x90) ||
                        (first == 0xf4 && second >= 0x90);
  return is_wrong ? 0 : length;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = printed_length(text, at);
    if (length == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    } else {
      result += text.substr(at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

std::string quote(std::string_view text) {
  constexpr std::size_t kMaxShown = 200;
  return fmt::format("'{}{}'", one_line(text.substr(0, kMaxShown)),
                     text.size() > kMaxShown ? "..." : "");
}

}  // namespace patchbay::base

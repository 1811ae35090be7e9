// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Texts of others in messages. A source of its own, because libpatchbay hides it and libpatchbay-nn
// compiles it again.
#include "core/base/error.h"

namespace patchbay::runtime {

std::string one_line(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result;
}

std::string quote(std::string_view text) {
  constexpr std::size_t kMaxShown = 200;
  return fmt::format("'{}{}'", one_line(text.substr(0, kMaxShown)),
                     text.size() > kMaxShown ? "..." : "");
}

}  // namespace patchbay::runtime

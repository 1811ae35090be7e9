// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/files/text.h"

#include <cstddef>

#include <fmt/format.h>

namespace patchbay::nn::files {

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

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 100;
  return '\'' + one_line(text.substr(0, kMost)) + (text.size() > kMost ? "...'" : "'");
}

}  // namespace patchbay::nn::files

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "examples/common/text.h"

#include <charconv>

#include <fmt/format.h>

#include <patchbay/error.h>

namespace examples {

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  result += '\'';
  return result;
}

std::string grouped(std::uint64_t value) {
  std::string result;
  const std::string digits = std::to_string(value);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result;
}

std::string readable_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB"}) {
    if (value < 1024) break;
    value /= 1024;
    unit = larger;
  }
  return fmt::format("{:.1f} {}", value, unit);
}

std::int64_t parse_count(std::string_view option, std::string_view text, std::int64_t max,
                         std::string_view what_max_is) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > max) {
    throw patchbay::Error(
        patchbay::ErrorCode::kInvalidArgument,
        fmt::format("[{}] bad number: expected a whole number from 1 to {} ({}), got {}.", option,
                    max, what_max_is, in_quotes(text)));
  }
  return value;
}

}  // namespace examples

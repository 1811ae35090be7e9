// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/search/arrival.h"

#include <cstddef>

#include "core/base/error.h"

namespace patchbay::runtime {
namespace {

/// The length of the first UTF-8 character in bytes; 0 if it is invalid.
std::size_t character_bytes(std::string_view text) {
  const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and values above the last character.
  const bool is_bad = (first == 0xe0 && at(1) < 0xa0) || (first == 0xed && at(1) > 0x9f) ||
                      (first == 0xf0 && at(1) < 0x90) || (first == 0xf4 && at(1) > 0x8f);
  return is_bad ? 0 : size;
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = character_bytes(text);
    const std::string_view character = text.substr(0, size != 0 ? size : 1);
    const bool is_kept = kept.find(character) != std::string_view::npos;
    if (size != 0 && (is_kept || !is_control(character))) {
      result += character;
    } else {
      for (const char c : character) {
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(character.size());
  }
  return result;
}

}  // namespace

std::string find_text_fault(patchbay_string text, std::uint64_t most_bytes) {
  if (text.size == 0) return {};
  if (text.data == nullptr) return fmt::format("null with a length of {} bytes", text.size);
  if (text.size <= most_bytes) return {};
  return fmt::format("{} bytes long, expected at most {}", text.size, most_bytes);
}

std::string readable(patchbay_string text, std::uint64_t most_bytes) {
  const std::string fault = find_text_fault(text, most_bytes);
  if (!fault.empty()) return fmt::format("(a text of the plugin's that can't be read: {})", fault);
  return text.size == 0 ? std::string() : std::string(text.data, text.size);
}

std::string printable(std::string_view text) { return escaped(text, ""); }

std::string printable_lines(std::string_view text) { return escaped(text, "\n\t"); }

std::string Arrival::text(std::string_view what, patchbay_string given) {
  const std::string fault = find_text_fault(given, kMostNameBytes);
  expect(fault.empty(), "{} is {}", what, fault);
  if (!fault.empty() || given.size == 0) return {};
  return printable({given.data, given.size});
}

}  // namespace patchbay::runtime

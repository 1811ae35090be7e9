// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Text for people: tables and quantities.
#ifndef PATCHBAY_TOOLS_TEXT_H_
#define PATCHBAY_TOOLS_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::tools {

/// Columns as wide as their longest cell; the last one is wrapped between words so that lines stay
/// within 100 characters.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Lines of at most `width` characters, broken between words; longer words are left whole.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// "64.0 MiB", "17 bytes".
std::string show_bytes(std::uint64_t bytes);

/// "4.25 us", "123 ms", "12.5 s": three digits that count.
std::string show_seconds(double seconds);

/// 1048576, 64KiB, 2MiB, 1GiB. Throws std::invalid_argument, which says what was expected.
std::uint64_t parse_bytes(const std::string& text);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_TEXT_H_

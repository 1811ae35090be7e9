// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Formats tables and quantities for people.
#ifndef PATCHBAY_TOOLS_TEXT_H_
#define PATCHBAY_TOOLS_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::tools {

/// Columns are as wide as their longest cell. The last one is wrapped between words to lines of at
/// most 100 characters.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Breaks text between words into lines of at most `width` characters; does not split longer words.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// "64.0 MiB", "17 bytes".
std::string show_bytes(std::uint64_t bytes);

/// "4.25 us", "123 ms", "12.5 s": three significant digits.
std::string show_seconds(double seconds);

/// "2.5 GB/s" for the unit "B/s": three significant digits and a decimal prefix.
std::string show_rate(double per_second, std::string_view unit);

/// Reads 1048576, 64KiB, 2MiB, 1GiB. Throws std::invalid_argument, which says what was expected.
std::uint64_t parse_bytes(const std::string& text);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_TEXT_H_

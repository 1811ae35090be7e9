// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace patchbay::tools {
namespace {

constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastWidth = 20;

constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string Table::to_string() const {
  const std::size_t last = rows_.front().size() - 1;
  std::vector<std::size_t> widths(last);
  std::size_t indent = 0;
  for (std::size_t i = 0; i < last; ++i) {
    for (const auto& row : rows_) widths[i] = std::max(widths[i], row[i].size());
    indent += widths[i] + kGap;
  }
  const std::size_t room = kLineWidth > indent + kLeastWidth ? kLineWidth - indent : kLeastWidth;
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < last; ++i) line += fmt::format("{:<{}}", row[i], widths[i] + kGap);
    for (const std::string& part : wrap(row[last], room)) {
      line += part;
      text += line.erase(line.find_last_not_of(' ') + 1) + '\n';
      line.assign(indent, ' ');
    }
  }
  return text;
}

std::string show_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string show_seconds(double seconds) {
  if (seconds < 999.5e-6) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 999.5e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return seconds < 999.5 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string show_rate(double per_second, std::string_view unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  for (; per_second >= 999.5 && prefix + 1 < std::size(kPrefixes); ++prefix) per_second /= 1000;
  return fmt::format("{:.3g} {}{}", per_second, kPrefixes[prefix], unit);
}

std::uint64_t parse_bytes(const std::string& text) {
  const char* end = text.data() + text.size();
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), end, number);
  int shift = parsed.ptr == end ? 0 : -1;
  for (std::size_t i = 0; i < std::size(kUnits); ++i) {
    if (std::string_view(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr)) == kUnits[i]) {
      shift = 10 * static_cast<int>(i + 1);
    }
  }
  if (parsed.ec == std::errc::invalid_argument || shift < 0) {
    throw std::invalid_argument("'" + text +
                                "' is no number of bytes; examples: 4096, 64MiB, 1GiB");
  }
  if (parsed.ec != std::errc() || number > std::numeric_limits<std::size_t>::max() >> shift) {
    throw std::invalid_argument("'" + text + "' bytes are more than 64 bits count");
  }
  return number << shift;
}

}  // namespace patchbay::tools

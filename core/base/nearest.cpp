// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace patchbay::base {
namespace {

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The number of letters to insert, drop, replace, or swap with their neighbours, to turn one into
/// the other.
std::size_t num_edits(std::string_view a, std::string_view b) {
  const auto are_equal = [&](std::size_t i, std::size_t j) {
    return to_lower(a[i]) == to_lower(b[j]);
  };
  // For the first letters of a, by those of b: two rows before, the row before, and this one.
  std::vector<std::size_t> earlier, before(b.size() + 1), row(b.size() + 1);
  std::iota(before.begin(), before.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = before[j] + (are_equal(i, j) ? 0 : 1);
      row[j + 1] = std::min({replaced, before[j + 1] + 1, row[j] + 1});
      const bool is_swapped = i > 0 && j > 0 && are_equal(i, j - 1) && are_equal(i - 1, j);
      if (is_swapped) row[j + 1] = std::min(row[j + 1], earlier[j - 1] + 1);
    }
    earlier = before;
    before = row;
  }
  return before.back();
}

constexpr std::size_t kMostLetters = 256;  // no real name is longer

}  // namespace

bool is_nearly(std::string_view name, std::string_view known, std::size_t num_common) {
  constexpr std::size_t kMostEdits = 2;
  name = name.substr(0, kMostLetters);
  const std::size_t edits = num_edits(name, known),
                    num_letters = std::max(name.size(), known.size()) - num_common;
  return edits <= kMostEdits && 2 * edits < num_letters;
}

std::string hint_nearest(std::string_view name, const std::vector<std::string>& names,
                         std::size_t num_common) {
  name = name.substr(0, kMostLetters);
  std::string_view nearest;
  std::size_t fewest_edits = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : names) {
    const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
    if (!std::all_of(candidate.begin(), candidate.end(), is_printable)) continue;
    const std::size_t edits = num_edits(name, candidate);
    const std::size_t num_letters = std::max(name.size(), candidate.size()) - num_common;
    const bool is_similar = edits <= num_letters / 2;
    if (!is_similar || edits >= fewest_edits) continue;
    nearest = candidate;
    fewest_edits = edits;
  }
  return nearest.empty() ? std::string() : fmt::format(", the nearest is '{}'", nearest);
}

}  // namespace patchbay::base

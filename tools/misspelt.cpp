// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "misspelt.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::tools {
namespace {

/// The number of letters to insert, drop or replace to get one from the other.
std::size_t num_edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

const std::string& nearest_to(const std::string& word, const std::vector<std::string>& known) {
  return *std::min_element(known.begin(), known.end(),
                           [&word](const std::string& a, const std::string& b) {
                             return num_edits(word, a) < num_edits(word, b);
                           });
}

}  // namespace patchbay::tools

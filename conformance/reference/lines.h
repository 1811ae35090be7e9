// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elements along a dimension: running sums, orders, and what an index chooses. A Shape has a rank
// and an extent for each dimension; elements have their row-major number.
#ifndef PATCHBAY_CONFORMANCE_REFERENCE_LINES_H_
#define PATCHBAY_CONFORMANCE_REFERENCE_LINES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "conformance/reference/elementwise.h"

namespace patchbay::conformance {

/// The numbers of the elements of each line.
template <class Shape>
std::vector<std::vector<std::size_t>> lines_of(const Shape& shape, int dim) {
  const auto count = static_cast<std::size_t>(shape[dim]);
  std::size_t step = 1, all = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    all *= static_cast<std::size_t>(shape[d]);
    if (d > dim) step *= static_cast<std::size_t>(shape[d]);
  }
  std::vector<std::vector<std::size_t>> lines;
  for (std::size_t first = 0; first < all; ++first) {
    if (first / step % count != 0) continue;
    lines.emplace_back();
    for (std::size_t k = 0; k < count; ++k) lines.back().push_back(first + k * step);
  }
  return lines;
}

/// Replaces the elements of a line, to which `at` refers, by their running sums: within blocks of
/// 128 elements, then of what is before them.
template <class At>
void add_up(const std::vector<std::size_t>& line, const At& at) {
  constexpr std::size_t kBlock = 128;
  for (std::size_t k = 1; k < line.size(); ++k) {
    if (k % kBlock != 0) at(line[k]) = sum_of(at(line[k - 1]), at(line[k]));
  }
  for (std::size_t k = kBlock; k < line.size(); ++k) {
    at(line[k]) = sum_of(at(line[k / kBlock * kBlock - 1]), at(line[k]));
  }
}

/// NaN is above all numbers.
template <class T>
bool is_above(T a, T b) {
  if (a != a || b != b) return a != a && b == b;
  return a > b;
}

/// The places along a line in the stable order of its elements, which `at` returns.
template <class At>
std::vector<std::size_t> sorted_places(const std::vector<std::size_t>& line, bool descending,
                                       const At& at) {
  std::vector<std::size_t> places(line.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t i, std::size_t j) {
    return descending ? is_above(at(line[i]), at(line[j])) : is_above(at(line[j]), at(line[i]));
  });
  return places;
}

/// The number in a tensor of shape `table` of the element at the position that `number` has in
/// `shape`, but at `chosen` along `dim`. No other extent of the table is smaller.
template <class Shape>
std::size_t place_in(const Shape& table, const Shape& shape, std::size_t number, int dim,
                     std::int64_t chosen) {
  Shape at = shape;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    at[d] = static_cast<std::int64_t>(number) % shape[d];
    number /= static_cast<std::size_t>(shape[d]);
  }
  at[dim] = chosen;
  std::int64_t place = 0;
  for (int d = 0; d < table.rank(); ++d) place = place * table[d] + at[d];
  return static_cast<std::size_t>(place);
}

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_REFERENCE_LINES_H_

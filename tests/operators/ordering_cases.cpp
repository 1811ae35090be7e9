// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What has an order along a dimension: running sums, and sorting.
#include <algorithm>
#include <type_traits>

#include <patchbay/ops.h>
#include <patchbay/sorting.h>

#include "conformance/reference/lines.h"
#include "operators/cases.h"
#include "operators/layouts.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

/// Bit for bit: the order of the additions is fixed.
template <class T>
void check_cumsum_of(const Values<T>& values, const Shape& shape, Layout layout, int dim,
                     const Device& device) {
  const Tensor a = arrange<T>(values, shape, layout, device);
  Values<T> up = values, down = values;
  for (std::vector<std::size_t> line : conformance::lines_of(shape, dim)) {
    conformance::add_up(line, [&](std::size_t i) -> T& { return up[i]; });
    std::reverse(line.begin(), line.end());
    conformance::add_up(line, [&](std::size_t i) -> T& { return down[i]; });
  }
  expect_same<T>(download<T>(cumsum(a, dim)), up, "cumsum");
  expect_same<T>(download<T>(cumsum(a, dim, /*reverse=*/true)), down, "cumsum in reverse");
}

template <class T>
void check_cumsum(const Device& device, const OperatorInfo&) {
  for_dims([&](const Arrangement& at, int dim) {
    check_cumsum_of<T>(tame_values<T>(count_of(at.shape), 31), at.shape, at.a, dim, device);
  });
  // Several blocks in a line, several segments of neighbouring lines, and a line that is shared.
  for (const Shape& shape : {Shape{3, 2100}, Shape{300, 301}, Shape{2, 530, 3}, Shape{600001}}) {
    for (int dim = 0; dim < shape.rank(); ++dim) {
      SCOPED_TRACE(to_string(shape) + " along " + std::to_string(dim));
      check_cumsum_of<T>(tame_values<T>(count_of(shape), 32), shape, Layout::kContiguous, dim,
                         device);
    }
  }
  // Around the ends of blocks and tiles, of rows and of columns.
  for (const std::int64_t count : {1, 127, 128, 129, 2048, 4095, 4096, 4097, 70000}) {
    SCOPED_TRACE("of " + std::to_string(count));
    check_cumsum_of<T>(tame_values<T>(count_of({2, count}), 36), {2, count}, Layout::kContiguous, 1,
                       device);
    check_cumsum_of<T>(tame_values<T>(count_of({count, 2}), 36), {count, 2}, Layout::kContiguous, 0,
                       device);
  }
}

/// The places along a line, from 0 on, in the stable order of its elements.
template <class T>
std::vector<std::size_t> sorted_places(const Values<T>& values,
                                       const std::vector<std::size_t>& line, bool descending) {
  return conformance::sorted_places(line, descending, [&](std::size_t i) { return values[i]; });
}

template <class T>
void check_sort_of(const Values<T>& values, const Shape& shape, Layout layout, int dim,
                   const Device& device) {
  const Tensor a = arrange<T>(values, shape, layout, device);
  for (const bool descending : {false, true}) {
    Values<T> ordered = values;
    Values<std::int64_t> places(values.size());
    for (const std::vector<std::size_t>& line : conformance::lines_of(shape, dim)) {
      const std::vector<std::size_t> order = sorted_places<T>(values, line, descending);
      for (std::size_t k = 0; k < line.size(); ++k) {
        ordered[line[k]] = values[line[order[k]]];
        places[line[k]] = static_cast<std::int64_t>(order[k]);
      }
    }
    const Sorted sorted = sort(a, dim, descending);
    expect_same<T>(download<T>(sorted.values), ordered, "sort");
    expect_same<std::int64_t>(download<std::int64_t>(sorted.indices), places, "sort's indices");
    expect_same<std::int64_t>(download<std::int64_t>(argsort(a, dim, descending)), places,
                              "argsort");
    for (const std::int64_t k : {std::int64_t{1}, shape[dim] / 9, shape[dim] / 2}) {
      if (k > shape[dim]) continue;
      const Sorted some = topk(a, k, dim, /*largest=*/descending);
      const Tensor first = sorted.values.slice(dim, 0, k), at = sorted.indices.slice(dim, 0, k);
      expect_same<T>(download<T>(some.values), download<T>(first), "topk");
      expect_same<std::int64_t>(download<std::int64_t>(some.indices), download<std::int64_t>(at),
                                "topk's indices");
    }
  }
}

/// A few of long lines, which accelerators choose in rounds.
template <class T>
void check_topk_of(const Shape& shape, int dim, const std::vector<std::int64_t>& counts,
                   const Device& device) {
  Values<T> values = random_values<T>(count_of(shape), 35);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = values[i % 19];
  const Tensor a = arrange<T>(values, shape, Layout::kContiguous, device);
  for (const bool largest : {false, true}) {
    const auto lines = conformance::lines_of(shape, dim);
    std::vector<std::vector<std::size_t>> orders;
    for (const auto& line : lines) orders.push_back(sorted_places<T>(values, line, largest));
    for (const std::int64_t k : counts) {
      SCOPED_TRACE(to_string(shape) + " along " + std::to_string(dim) + ", k " + std::to_string(k));
      Values<T> expected;
      Values<std::int64_t> places;
      for (std::size_t line = 0; line < lines.size(); ++line) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
          expected.push_back(values[lines[line][orders[line][i]]]);
          places.push_back(static_cast<std::int64_t>(orders[line][i]));
        }
      }
      const Sorted got = topk(a, k, dim, largest);
      // By lines, as they were found.
      expect_same<T>(download<T>(got.values.transpose(dim, -1).contiguous()), expected, "topk");
      expect_same<std::int64_t>(download<std::int64_t>(got.indices.transpose(dim, -1).contiguous()),
                                places, "topk's indices");
    }
  }
}

template <class T>
void check_sort(const Device& device, const OperatorInfo&) {
  check_topk_of<T>({2, 1025}, 1, {1, 2, 100, 128, 1024}, device);
  check_topk_of<T>({4500, 3}, 0, {1, 2, 100, 1000, 4499, 4500}, device);
  if (std::is_same_v<T, float>) {
    check_topk_of<T>({70001}, 0, {0, 1, 64, 100, 1000, 1025, 2500, 30000, 70000, 70001}, device);
    check_topk_of<T>({3, 300}, 1, {5, 299, 300}, device);
    for (const std::int64_t count : {1, 255, 256, 257, 512, 513, 2047, 2048, 2049, 4096, 6145}) {
      check_topk_of<T>({count, 2}, 0, {1, count / 2, count}, device);
    }
  }
  for_dims([&](const Arrangement& at, int dim) {
    if (count_of(at.shape) > 10000 && device != test_device("cpu:0")) return;
    check_sort_of<T>(random_values<T>(count_of(at.shape), 33), at.shape, at.a, dim, device);
  });
  // More than a work-group sorts, not a power of two, with many equal elements.
  Values<T> few = random_values<T>(2600, 34);
  for (std::size_t i = 0; i < few.size(); i += 2) few[i] = few[i % 17];
  check_sort_of<T>(few, {2, 1300}, Layout::kContiguous, 1, device);
  check_sort_of<T>(few, {1300, 2}, Layout::kTransposed, 0, device);
}

}  // namespace

OperatorCases ordering_cases() {
  return {case_of<Types::kWide>("cumsum", PATCHBAY_OF_TYPES(check_cumsum)),
          case_of<Types::kAll>("sort", PATCHBAY_OF_TYPES(check_sort))};
}

}  // namespace patchbay::test

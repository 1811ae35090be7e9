// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// cumsum sort: operators with an order along a dimension. Both are exact.
#include <algorithm>
#include <numeric>

#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/values/array.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {
namespace {

struct OrderingCase {
  std::string name;
  Layout in, out;
  int dim;
};

std::vector<OrderingCase> ordering_cases() {
  return {
      {"one dimension", contiguous({300}), contiguous({300}), 0},
      {"one element", contiguous({1}), contiguous({1}), 0},
      {"no line", contiguous({0, 5}), contiguous({0, 5}), 1},
      {"one dimension, spread", spread({131}, 3, 5), spread({131}, 2, 1), 0},
      {"rows", contiguous({7, 65}), contiguous({7, 65}), 1},
      {"columns", contiguous({600, 5}), reversed({600, 5}), 0},
      {"the middle of three", reversed({4, 129, 3}), contiguous({4, 129, 3}), 1},
      {"eight dimensions", contiguous({2, 1, 3, 2, 7, 1, 2, 2}), reversed({2, 1, 3, 2, 7, 1, 2, 2}),
       4},
      {"more than a work-group", contiguous({2, 2500}), contiguous({2, 2500}), 1},
  };
}

/// The numbers of the elements of each line.
std::vector<std::vector<std::size_t>> lines_of(const OrderingCase& one) {
  const Shape& shape = one.in.shape;
  const std::size_t all = one.in.num_elements(), count = static_cast<std::size_t>(shape[one.dim]);
  std::size_t step = 1;
  for (int d = one.dim + 1; d < shape.rank(); ++d) step *= static_cast<std::size_t>(shape[d]);
  std::vector<std::vector<std::size_t>> lines;
  for (std::size_t first = 0; first < all; ++first) {
    if (first / step % count != 0) continue;
    lines.emplace_back();
    for (std::size_t k = 0; k < count; ++k) lines.back().push_back(first + k * step);
  }
  return lines;
}

/// Sums within blocks of 128 elements, then of what is before them.
template <class T>
void add_up(const std::vector<std::size_t>& line, const Array<T>& in, Array<T>& out) {
  constexpr std::size_t kBlock = 128;
  T sum{}, before{};
  for (std::size_t k = 0; k < line.size(); ++k) {
    const T element = in.at(line[k]);
    if (k % kBlock == 0 && k != 0) before = out.at(line[k - 1]);
    sum = k % kBlock == 0 ? element : sum_of(sum, element);
    out.at(line[k]) = k < kBlock ? sum : sum_of(before, sum);
  }
}

template <class T>
void check_cumsum(const Device& device) {
  for (const OrderingCase& one : ordering_cases()) {
    for (const std::int64_t reverse : {0, 1}) {
      const Array<T> in(one.in, [](std::size_t i) { return ordinary_value<T>(i); });
      Array<T> out(one.out);
      Array<T> expected = out;
      for (std::vector<std::size_t> line : lines_of(one)) {
        if (reverse != 0) std::reverse(line.begin(), line.end());
        add_up(line, in, expected);
      }
      const Argument target = out.to_device(device, Access::kWrite);
      run_kernel(device, "cumsum.1", {target, in.to_device(device, Access::kRead)},
                 {{"dim", std::int64_t{one.dim}}, {"reverse", reverse}});
      out.from_device(target);
      out.expect_close_to(expected, 0,
                          fmt::format("cumsum.1 of {}, {}, reverse {}",
                                      to_string(dtype_of_element<T>()), one.name, reverse));
    }
  }
}

/// NaN is above all numbers.
template <class T>
bool is_above(T a, T b) {
  if (a != a || b != b) return a != a && b == b;
  return a > b;
}

/// The first `kept` of each line in order.
template <class T>
void check_sort_of(const Device& device, const OrderingCase& one, std::int64_t kept,
                   std::int64_t descending) {
  const Array<T> in(one.in, [](std::size_t i) {
    return i % 3 == 0 ? mixed_value<T>(0, i % 37) : ordinary_value<T>(i);
  });
  Layout result = one.out;
  result.shape[one.dim] = kept;
  OrderingCase cut = one;
  cut.in = cut.out = result;
  Array<T> out(result), expected = out;
  Array<std::int64_t> index(result), places = index;
  const auto lines = lines_of(one);
  const auto targets = kept == 0 ? decltype(lines){} : lines_of(cut);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    std::vector<std::size_t> order(lines[i].size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
      const T a = in.at(lines[i][x]), b = in.at(lines[i][y]);
      return descending != 0 ? is_above(a, b) : is_above(b, a);
    });
    for (std::size_t k = 0; k < targets[i].size(); ++k) {
      expected.at(targets[i][k]) = in.at(lines[i][order[k]]);
      places.at(targets[i][k]) = static_cast<std::int64_t>(order[k]);
    }
  }
  const Argument values = out.to_device(device, Access::kWrite);
  const Argument found = index.to_device(device, Access::kWrite);
  run_kernel(device, "sort.1", {values, found, in.to_device(device, Access::kRead)},
             {{"dim", std::int64_t{one.dim}}, {"descending", descending}});
  const std::string what =
      fmt::format("sort.1 of {}, {}, descending {}, the first {}", to_string(dtype_of_element<T>()),
                  one.name, descending, kept);
  out.from_device(values);
  out.expect_close_to(expected, 0, what);
  index.from_device(found);
  index.expect_close_to(places, 0, what + ", the indices");
}

template <class T>
void check_sort(const Device& device) {
  for (const OrderingCase& one : ordering_cases()) {
    const std::int64_t count = one.in.shape[one.dim];
    for (const std::int64_t descending : {0, 1}) {
      check_sort_of<T>(device, one, count, descending);
      check_sort_of<T>(device, one, std::min<std::int64_t>(count, 5), descending);
    }
  }
}

}  // namespace

std::vector<Check> ordering_checks() {
  std::vector<Check> checks;
  add_pair(
      checks, "cumsum",
      [](const Device& device, const std::string&) {
        check_cumsum<float>(device);
        check_cumsum<std::int32_t>(device);
        check_cumsum<std::int64_t>(device);
        check_cumsum<std::uint8_t>(device);
      },
      [](const Device& device, const std::string&) { check_cumsum<double>(device); });
  const auto sort = [](const Device& device, const std::string&, auto zero) {
    check_sort<decltype(zero)>(device);
  };
  add_numbers(checks, "sort", with_bools(sort));
  add_storage(checks, "sort", sort);
  return checks;
}

}  // namespace patchbay::conformance

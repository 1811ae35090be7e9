// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// cumsum sort: operators with an order along a dimension. Both are exact.
#include <algorithm>

#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/reference/lines.h"
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

template <class T>
void check_cumsum(const Device& device) {
  for (const OrderingCase& one : ordering_cases()) {
    for (const std::int64_t reverse : {0, 1}) {
      const Array<T> in(one.in, [](std::size_t i) { return ordinary_value<T>(i); });
      Array<T> out(one.out);
      Array<T> expected = out;
      for (std::size_t i = 0; i < in.size(); ++i) expected.at(i) = in.at(i);
      for (std::vector<std::size_t> line : lines_of(one.in.shape, one.dim)) {
        if (reverse != 0) std::reverse(line.begin(), line.end());
        add_up(line, [&](std::size_t i) -> T& { return expected.at(i); });
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

/// The first `kept` of each line in order.
template <class T>
void check_sort_of(const Device& device, const OrderingCase& one, std::int64_t kept,
                   std::int64_t descending) {
  const Array<T> in(one.in, [](std::size_t i) {
    return i % 3 == 0 ? mixed_value<T>(0, i % 37) : ordinary_value<T>(i);
  });
  Layout result = one.out;
  result.shape[one.dim] = kept;
  Array<T> out(result), expected = out;
  Array<std::int64_t> index(result), places = index;
  const auto lines = lines_of(one.in.shape, one.dim), targets = lines_of(result.shape, one.dim);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto order =
        sorted_places(lines[i], descending != 0, [&](std::size_t k) { return in.at(k); });
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
  const auto sort = PATCHBAY_OF_TYPES(check_sort);
  add_numbers(checks, "sort", with_bools(sort));
  add_storage(checks, "sort", sort);
  return checks;
}

}  // namespace patchbay::conformance

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// uniform normal integers mask permutation: compares with the draws of Philox in all layouts.
#include <algorithm>
#include <numeric>

#include "conformance/kernels/elementwise.h"
#include "conformance/kernels/parts.h"
#include "conformance/values/philox.h"

namespace patchbay::conformance {
namespace {

using test::Draws;

constexpr Draws kDraws{0xfedcba9876543210, 0x100000003};

Argument bits(std::uint64_t value) { return Argument::scalar(static_cast<std::int64_t>(value)); }

/// Runs an operator with two values of base; `element` returns the expected element at an index.
template <class T>
void check_drawn(const Device& device, const std::string& op, const Arguments& parameters,
                 const std::function<T(std::uint64_t index)>& element, double ulps = 0) {
  for (const std::uint64_t base : {std::uint64_t{0}, (std::uint64_t{1} << 35) + 3}) {
    for (const ElementwiseCase& one : elementwise_cases()) {
      Array<T> out(one.out);
      Array<T> expected = out;
      for (std::size_t i = 0; i < out.size(); ++i) expected.at(i) = element(base + i);
      const Argument target = out.to_device(device, Access::kWrite);
      Arguments arguments = {target, bits(kDraws.seed), bits(kDraws.offset), bits(base)};
      arguments.insert(arguments.end(), parameters.begin(), parameters.end());
      run_kernel(device, op, arguments);
      out.from_device(target);
      out.expect_close_to(expected, ulps,
                          fmt::format("{} of {} from {} on, {}", op,
                                      to_string(dtype_of_element<T>()), base, one.name));
    }
  }
}

template <class T>
void check_uniform(const Device& device) {
  const T low = T(-2), width = T(3.25), most = T(1);
  check_drawn<T>(device, "uniform.1", {literal_of(low), literal_of(width), literal_of(most)},
                 [&](std::uint64_t index) {
                   const T element = low + kDraws.uniform<Computed<T>>(index) * width;
                   return std::min(element, most);
                 });
}

template <class T>
void check_normal(const Device& device) {
  check_drawn<T>(
      device, "normal.1", {literal_of(T(0)), literal_of(T(1))},
      [](std::uint64_t index) { return static_cast<T>(kDraws.normal<Computed<T>>(index)); },
      kIsHalf<T> ? 1 : 4);
}

template <class T>
void check_integers(const Device& device, std::int64_t low, std::uint64_t range) {
  check_drawn<T>(
      device, "integers.1", {Argument::scalar(low), bits(range)},
      [&](std::uint64_t index) { return static_cast<T>(kDraws.integer(index, low, range)); });
}

void integers(Context& context) {
  const Device device = context.device();
  check_integers<std::uint8_t>(device, 3, 200);
  check_integers<std::int32_t>(device, INT32_MIN, std::uint64_t{1} << 32);
  check_integers<std::int64_t>(device, -9, 10);
  check_integers<std::int64_t>(device, -9, (std::uint64_t{1} << 32) + 1);
  check_integers<std::int64_t>(device, INT64_MIN, UINT64_MAX);
}

void mask(Context& context) {
  for (const std::uint64_t threshold :
       {std::uint64_t{0}, std::uint64_t{0x40000001}, std::uint64_t{1} << 32}) {
    check_drawn<Bool>(context.device(), "mask.1", {bits(threshold)}, [&](std::uint64_t index) {
      return kDraws.word(index) < threshold ? Bool::kTrue : Bool::kFalse;
    });
  }
}

void permutation(Context& context) {
  const Device device = context.device();
  for (const std::int64_t n : {1, 3, 4, 5, 48, 49, 1000, 100'003}) {
    std::vector<std::uint64_t> draws(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < draws.size(); ++i) draws[i] = kDraws.wide(i);
    std::vector<std::size_t> order(draws.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return draws[a] < draws[b]; });
    for (const Layout& layout : {contiguous({n}), spread({n}, 3, 5)}) {
      Array<std::int64_t> out(layout), expected(layout);
      const Array<std::int64_t> scratch(contiguous({2 * n + 64}));
      for (std::size_t i = 0; i < order.size(); ++i) {
        expected.at(i) = static_cast<std::int64_t>(order[i]);
      }
      const Argument target = out.to_device(device, Access::kWrite);
      run_kernel(device, "permutation.1",
                 {target, scratch.to_device(device, Access::kReadWrite), bits(kDraws.seed),
                  bits(kDraws.offset)});
      out.from_device(target);
      out.expect_close_to(expected, 0, fmt::format("permutation.1 of {}", n));
    }
  }
}

}  // namespace

std::vector<Check> random_checks() {
  std::vector<Check> checks = {{"kernels", "integers", integers},
                               {"kernels", "mask", mask},
                               {"kernels", "permutation", permutation}};
  add_floats(checks, "uniform", [](const Device& device, const std::string&, auto zero) {
    check_uniform<decltype(zero)>(device);
  });
  add_floats(checks, "normal", [](const Device& device, const std::string&, auto zero) {
    check_normal<decltype(zero)>(device);
  });
  return checks;
}

}  // namespace patchbay::conformance

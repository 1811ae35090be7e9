// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// uniform normal integers mask permutation: compares with the draws of Philox in all layouts.
#include <algorithm>

#include "conformance/kernels/elementwise.h"
#include "conformance/kernels/parts.h"
#include "conformance/reference/philox.h"

namespace patchbay::conformance {
namespace {

constexpr Draws kDraws{0xfedcba9876543210, 0x8000000100000003};

Argument bits(std::uint64_t value) { return Argument::scalar(static_cast<std::int64_t>(value)); }

/// Runs an operator with many values of base; `element` returns the expected element at an index.
template <class T>
void check_drawn(const Device& device, const std::string& op, const Arguments& parameters,
                 const std::function<T(std::uint64_t index)>& element, double ulps = 0) {
  const auto check = [&](const Layout& layout, std::uint64_t base, const std::string& name) {
    Array<T> out(layout);
    Array<T> expected = out;
    for (std::size_t i = 0; i < out.size(); ++i) expected.at(i) = element(base + i);
    const Argument target = out.to_device(device, Access::kWrite);
    Arguments arguments = {target, bits(kDraws.seed), bits(kDraws.offset), bits(base)};
    arguments.insert(arguments.end(), parameters.begin(), parameters.end());
    run_kernel(device, op, arguments);
    out.from_device(target);
    out.expect_close_to(
        expected, ulps,
        fmt::format("{} of {} from {} on, {}", op, to_string(dtype_of_element<T>()), base, name));
  };
  for (const std::uint64_t base : {std::uint64_t{0}, (std::uint64_t{1} << 35) + 3}) {
    for (const ElementwiseCase& one : elementwise_cases()) check(one.out, base, one.name);
  }
  // Parts of blocks of draws at both ends.
  for (const std::uint64_t base : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
                                   std::uint64_t{4}, std::uint64_t{INT64_MAX} - 3000}) {
    for (const std::int64_t n : {1, 2, 3, 4, 5, 1030}) check(contiguous({n}), base, "a row");
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
    const std::vector<std::int64_t> order = kDraws.permutation(n);
    for (const Layout& layout : {contiguous({n}), spread({n}, 3, 5)}) {
      Array<std::int64_t> out(layout), expected(layout);
      const Array<std::int64_t> scratch(contiguous({2 * n + 64}));
      for (std::size_t i = 0; i < order.size(); ++i) expected.at(i) = order[i];
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
  add_floats(checks, "uniform", PATCHBAY_OF_TYPES(check_uniform));
  add_floats(checks, "normal", PATCHBAY_OF_TYPES(check_normal));
  return checks;
}

}  // namespace patchbay::conformance

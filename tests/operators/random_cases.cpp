// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Random elements against draws that are made one at a time.
#include <algorithm>
#include <cmath>

#include <patchbay/random.h>

#include "conformance/reference/philox.h"
#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

constexpr conformance::Draws kDraws{77, 0};

/// Fills each layout with a new generator and compares with element(index) within the bound.
template <class T, class Fill, class Element>
void check_layouts(const Device& device, const OperatorInfo& record, Fill fill, Element element) {
  std::vector<Arrangement> all = arrangements();
  for (const Shape& shape : {Shape{37}, Shape{5, 7}, Shape{3, 4, 5}, Shape{2, 70, 33}}) {
    for (const Layout layout : kLayouts) all.push_back({to_string(shape), shape, layout});
  }
  for (const Arrangement& at : all) {
    const Values<T> nothing(count_of(at.shape));
    const Tensor out = arrange<T>(nothing, at.shape, at.a, device);
    fill(out, Generator(kDraws.seed));
    Terms<T> expected;
    for (std::size_t i = 0; i < nothing.size(); ++i) expected.push_back(term_of(element(i)));
    expect_terms<T>(download<T>(out), expected, record, std::string(record.name) + ' ' + at.name);
  }
}

/// 16-bit floats: the greatest one below 1 stands for what would be rounded to 1.
template <class T>
Exact<T> uniform_element(std::size_t i) {
  const auto drawn = static_cast<Exact<T>>(kDraws.uniform<conformance::Computed<T>>(i));
  if constexpr (!kIsSmall<T>) return drawn;
  return std::min(drawn, 1 - std::ldexp(Exact<T>(1), -std::numeric_limits<T>::digits));
}

template <class T>
void run_floats(const Device& device, const OperatorInfo& record) {
  if (record.name == "uniform") {
    check_layouts<T>(
        device, record,
        [](const Tensor& out, const Generator& from) { fill_uniform(out, 0, 1, from); },
        [](std::size_t i) { return uniform_element<T>(i); });
    return;
  }
  check_layouts<T>(
      device, record,
      [](const Tensor& out, const Generator& from) { fill_normal(out, 1, 2, from); },
      [](std::size_t i) {
        const auto z = static_cast<Exact<T>>(2 * kDraws.normal<conformance::Computed<T>>(i));
        return conformance::Term<Exact<T>>{1 + z, 1 + std::fabs(z)};
      });
}

template <class T>
void run_integers(const Device& device, const OperatorInfo& record) {
  const auto check = [&](std::int64_t low, std::int64_t high) {
    check_layouts<T>(
        device, record,
        [=](const Tensor& out, const Generator& from) { fill_integers(out, low, high, from); },
        [=](std::size_t i) { return static_cast<T>(kDraws.integer(i, low, high - low)); });
  };
  check(3, 200);
  if constexpr (std::is_same_v<T, std::int64_t>) check(0, INT64_MAX);
}

template <class T>
void run_mask(const Device& device, const OperatorInfo& record) {
  check_layouts<T>(
      device, record,
      [](const Tensor& out, const Generator& from) { fill_bernoulli(out, 0.25, from); },
      [](std::size_t i) { return kDraws.word(i) < 1u << 30; });
}

void run_permutation(const Device& device, DType dtype, const OperatorInfo&) {
  ASSERT_EQ(dtype, DType::i64);
  for (const std::int64_t n : {0, 1, 2, 5, 100, 3001}) {
    EXPECT_EQ(download<std::int64_t>(randperm(n, device, Generator(kDraws.seed))),
              kDraws.permutation(n))
        << n;
  }
}

}  // namespace

OperatorCases random_cases() {
  return {case_of<Types::kFloats>("uniform", PATCHBAY_OF_TYPES(run_floats)),
          case_of<Types::kFloats>("normal", PATCHBAY_OF_TYPES(run_floats)),
          case_of<Types::kIntegers>("integers", PATCHBAY_OF_TYPES(run_integers)),
          case_of<Types::kBools>("mask", PATCHBAY_OF_TYPES(run_mask)),
          {"permutation", run_permutation}};
}

}  // namespace patchbay::test

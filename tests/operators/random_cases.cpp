// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Random elements against draws that are made one at a time.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <patchbay/random.h>

#include "conformance/values/philox.h"
#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

constexpr Draws kDraws{77, 0};

/// Fills each layout with a new generator and compares with element(index) within the bound.
template <class T, class Fill, class Element>
void check_layouts(const Device& device, const OperatorInfo& record, Fill fill, Element element) {
  for (const Arrangement& at : arrangements()) {
    const Values<T> nothing(count_of(at.shape));
    const Tensor out = arrange<T>(nothing, at.shape, at.a, device);
    fill(out, Generator(kDraws.seed));
    const Values<T> got = download<T>(out);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto [value, scale] = element(i);
      const bool fits = is_within<T>(got[i], value, record.bound.of(dtype_of<T>()), scale);
      ASSERT_TRUE(fits) << record.name << ' ' << at.name << " at " << i << ": expected " << +value
                        << ", got " << +got[i];
    }
  }
}

template <class T>
std::pair<Exact<T>, Exact<T>> twice(T value) {
  return {static_cast<Exact<T>>(value), static_cast<Exact<T>>(value)};
}

/// In the precision in which T is drawn.
template <class T>
using Drawn = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// 16-bit floats: the greatest one below 1 stands for what would be rounded to 1.
template <class T>
Exact<T> uniform_element(std::size_t i) {
  const auto drawn = static_cast<Exact<T>>(kDraws.uniform<Drawn<T>>(i));
  if constexpr (!kIsSmall<T>) return drawn;
  return std::min(drawn, 1 - std::ldexp(Exact<T>(1), -std::numeric_limits<T>::digits));
}

template <class T>
void run_floats(const Device& device, const OperatorInfo& record) {
  if (record.name == "uniform") {
    check_layouts<T>(
        device, record,
        [](const Tensor& out, const Generator& from) { fill_uniform(out, 0, 1, from); },
        [](std::size_t i) { return std::pair(uniform_element<T>(i), uniform_element<T>(i)); });
    return;
  }
  check_layouts<T>(
      device, record,
      [](const Tensor& out, const Generator& from) { fill_normal(out, 1, 2, from); },
      [](std::size_t i) {
        const auto z = static_cast<Exact<T>>(2 * kDraws.normal<Drawn<T>>(i));
        return std::pair<Exact<T>, Exact<T>>(1 + z, 1 + std::fabs(z));
      });
}

void run_drawn_floats(const Device& device, DType dtype, const OperatorInfo& record) {
  if (dtype == DType::f32) return run_floats<float>(device, record);
  if (dtype == DType::f64) return run_floats<double>(device, record);
  if (dtype == DType::f16) return run_floats<F16>(device, record);
  if (dtype == DType::bf16) return run_floats<Bf16>(device, record);
  FAIL() << record.name << " has no reference for " << to_string(dtype);
}

void run_integers(const Device& device, DType dtype, const OperatorInfo& record) {
  with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!kIsNumber<T> || kIsFloat<T>) {
      FAIL() << "integers has no reference for " << to_string(dtype);
    } else {
      check_layouts<T>(
          device, record,
          [](const Tensor& out, const Generator& from) { fill_integers(out, 3, 200, from); },
          [](std::size_t i) { return twice<T>(static_cast<T>(kDraws.integer(i, 3, 197))); });
    }
  });
}

void run_mask(const Device& device, DType dtype, const OperatorInfo& record) {
  ASSERT_EQ(dtype, DType::boolean);
  check_layouts<bool>(
      device, record,
      [](const Tensor& out, const Generator& from) { fill_bernoulli(out, 0.25, from); },
      [](std::size_t i) { return twice<bool>(kDraws.word(i) < 1u << 30); });
}

void run_permutation(const Device& device, DType dtype, const OperatorInfo&) {
  ASSERT_EQ(dtype, DType::i64);
  for (const std::int64_t n : {0, 1, 2, 5, 100, 3001}) {
    Values<std::int64_t> expected(static_cast<std::size_t>(n));
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [](std::int64_t a, std::int64_t b) {
      return kDraws.wide(static_cast<std::uint64_t>(a)) <
             kDraws.wide(static_cast<std::uint64_t>(b));
    });
    EXPECT_EQ(download<std::int64_t>(randperm(n, device, Generator(kDraws.seed))), expected) << n;
  }
}

}  // namespace

OperatorCases random_cases() {
  return {{"uniform", run_drawn_floats},
          {"normal", run_drawn_floats},
          {"integers", run_integers},
          {"mask", run_mask},
          {"permutation", run_permutation}};
}

}  // namespace patchbay::test

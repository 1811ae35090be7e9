// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What makes and moves elements on one device.
#include <cmath>

#include <patchbay/ops.h>

#include "conformance/reference/elementwise.h"
#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

template <class T>
void check_fill(const Device& device) {
  const Values<T> values = random_values<T>(40, 4);
  for (const Arrangement& at : arrangements()) {
    const Tensor out = arrange<T>(Values<T>(count_of(at.shape)), at.shape, at.a, device);
    const Stored<T> value = values[count_of(at.shape) % values.size()];
    out.fill_(value);
    expect_same<T>(download<T>(out), Values<T>(count_of(at.shape), value), "fill " + at.name);
  }
}

template <class T>
void check_copy(const Device& device) {
  for (const Arrangement& at : arrangements()) {
    const Values<T> values = random_values<T>(count_of(at.shape), 5);
    const Tensor from = arrange<T>(values, at.shape, at.a, device);
    const Tensor to = arrange<T>(Values<T>(values.size()), at.shape, at.b, device);
    to.copy_from(from);
    expect_same<T>(download<T>(to), values, "copy " + at.name);
  }
  const Values<T> row = random_values<T>(37, 6);
  Values<T> plane;
  for (int i = 0; i < 19; ++i) plane.insert(plane.end(), row.begin(), row.end());
  const Tensor repeated = upload<T>(row, {37}, device).expand({19, 37});
  expect_same<T>(download<T>(repeated.clone()), plane, "copy broadcast");
}

template <class From>
void check_cast(const Device& device, const OperatorInfo& record) {
  for (const DType to : record.dtypes) {
    if (!why_unsupported(device, record, to).empty()) continue;
    with_type(to, [&](auto zero) {
      using To = decltype(zero);
      for (const Arrangement& at : arrangements()) {
        const Values<From> values = random_values<From>(count_of(at.shape), 8);
        Values<To> expected;
        for (const auto value : values) {
          expected.push_back(static_cast<Stored<To>>(conformance::converted<To>(From(value))));
        }
        const Tensor a = arrange<From>(values, at.shape, at.a, device);
        expect_same<To>(download<To>(a.cast(to)), expected,
                        std::string("cast to ") + std::string(to_string(to)) + ' ' + at.name);
      }
    });
  }
}

template <class T>
void check_arange(const Device& device, const OperatorInfo& record) {
  for (const int count : {0, 1, 3, 100, 70001}) {
    const int step = std::is_same_v<T, std::uint8_t> || count == 0 ? 1 : 3;
    // The last value must be one that the dtype holds.
    const int most = std::is_same_v<T, std::uint8_t> ? 250
                     : dtype_of<T>() == DType::f16   ? 20000
                                                     : 70001;
    const int n = std::min(count, most);
    const Tensor t = arange(5, 5 + n * step, step, {dtype_of<T>(), device});
    std::vector<Exact<T>> expected;
    for (int i = 0; i < n; ++i) expected.push_back(static_cast<Exact<T>>(5 + i * step));
    expect_within<T>(download<T>(t), expected, record.bound.of(dtype_of<T>()), "arange");
  }
  if constexpr (kIsFloat<T>) {
    const Tensor t = arange(-1.5, 700, 0.1, {dtype_of<T>(), device});
    const auto start = static_cast<Exact<T>>(T(-1.5)), step = static_cast<Exact<T>>(T(0.1));
    std::vector<Exact<T>> expected;
    for (int i = 0; i < 7015; ++i) expected.push_back(start + static_cast<Exact<T>>(i) * step);
    // start + i step may cancel: the bound is in units of the terms.
    const Values<T> got = download<T>(t);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Exact<T> scale = std::max(std::fabs(expected[i]), Exact<T>(1.5));
      ASSERT_TRUE((is_within<T>(got[i], expected[i], record.bound.of(dtype_of<T>()), scale)))
          << "arange at " << i << ": expected " << expected[i] << ", got " << got[i];
    }
  }
}

template <class Body>
OperatorCase memory(std::string_view name, Body body) {
  return {name, [=](const Device& device, DType dtype, const OperatorInfo& record) {
            with_type(dtype, [&](auto zero) { body(zero, device, record); });
          }};
}

}  // namespace

OperatorCases memory_cases() {
  return {
      memory("fill", [](auto zero, const Device& device,
                        const OperatorInfo&) { check_fill<decltype(zero)>(device); }),
      memory("copy", [](auto zero, const Device& device,
                        const OperatorInfo&) { check_copy<decltype(zero)>(device); }),
      memory("cast",
             [](auto zero, const Device& device, const OperatorInfo& record) {
               check_cast<decltype(zero)>(device, record);
             }),
      memory("arange",
             [](auto zero, const Device& device, const OperatorInfo& record) {
               using T = decltype(zero);
               if constexpr (!kIsNumber<T>) {
                 FAIL() << "arange has no reference for " << to_string(dtype_of<T>());
               } else {
                 check_arange<T>(device, record);
               }
             }),
  };
}

}  // namespace patchbay::test

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
void check_fill(const Device& device, const OperatorInfo&) {
  const Values<T> values = random_values<T>(40, 4);
  for (const Arrangement& at : arrangements()) {
    const Tensor out = arrange<T>(Values<T>(count_of(at.shape)), at.shape, at.a, device);
    const Stored<T> value = values[count_of(at.shape) % values.size()];
    out.fill_(value);
    expect_same<T>(download<T>(out), Values<T>(count_of(at.shape), value), "fill " + at.name);
  }
}

template <class T>
void check_copy(const Device& device, const OperatorInfo&) {
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
    expect_terms<T>(download<T>(t), expected, record, "arange");
  }
  if constexpr (kIsFloat<T>) {
    const Tensor t = arange(-1.5, 700, 0.1, {dtype_of<T>(), device});
    const auto start = static_cast<Exact<T>>(T(-1.5)), step = static_cast<Exact<T>>(T(0.1));
    // start + i step may cancel: the bound is in units of the terms.
    Terms<T> expected;
    for (int i = 0; i < 7015; ++i) {
      const Exact<T> value = start + static_cast<Exact<T>>(i) * step;
      expected.push_back({value, std::max(std::fabs(value), Exact<T>(1.5))});
    }
    expect_terms<T>(download<T>(t), expected, record, "arange");
  }
}

}  // namespace

OperatorCases memory_cases() {
  return {case_of<Types::kAll>("fill", PATCHBAY_OF_TYPES(check_fill)),
          case_of<Types::kAll>("copy", PATCHBAY_OF_TYPES(check_copy)),
          case_of<Types::kAll>("cast", PATCHBAY_OF_TYPES(check_cast)),
          case_of<Types::kNumbers>("arange", PATCHBAY_OF_TYPES(check_arange))};
}

}  // namespace patchbay::test

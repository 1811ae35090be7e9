// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the families of operators hand to operators_test.cpp.
#ifndef PATCHBAY_TESTS_OPERATORS_CASES_H_
#define PATCHBAY_TESTS_OPERATORS_CASES_H_

#include <functional>
#include <string_view>
#include <vector>

#include "operators/reference.h"

namespace patchbay::test {

struct OperatorCase {
  std::string_view name;  // the record's
  /// Runs the operator on operands of `dtype` in all layouts and compares with the reference,
  /// within the record's bound.
  std::function<void(const Device& device, DType dtype, const OperatorInfo& record)> run;
};
using OperatorCases = std::vector<OperatorCase>;

/// The types for which a case has a reference.
enum class Types { kAll, kNumbers, kFloats, kWideFloats, kBools, kIntegers, kWide, kSigned };
template <Types kTypes, class T>
constexpr bool kTakes = kTypes == Types::kAll          ? true
                        : kTypes == Types::kFloats     ? kIsFloat<T>
                        : kTypes == Types::kWideFloats ? std::is_floating_point_v<T>
                        : kTypes == Types::kBools      ? std::is_same_v<T, bool>
                        : !kIsNumber<T>                ? false
                        : kTypes == Types::kWide       ? !kIsSmall<T>
                        : kTypes == Types::kSigned     ? !std::is_same_v<T, std::uint8_t>
                                                       : kTypes == Types::kNumbers || !kIsFloat<T>;

/// Calls check(device, record, zero) with a zero of the dtype under test.
template <Types kTypes, class Check>
OperatorCase case_of(std::string_view name, Check check) {
  return {name, [=](const Device& device, DType dtype, const OperatorInfo& record) {
            with_type(dtype, [&](auto zero) {
              if constexpr (kTakes<kTypes, decltype(zero)>) {
                check(device, record, zero);
              } else {
                FAIL() << record.name << " has no reference for " << to_string(dtype);
              }
            });
          }};
}

/// check<T>(device, record) as case_of takes it.
#define PATCHBAY_OF_TYPES(check)                                    \
  [](const Device& device, const OperatorInfo& record, auto zero) { \
    check<decltype(zero)>(device, record);                          \
  }

OperatorCases memory_cases();
OperatorCases indexing_cases();
OperatorCases elementwise_cases();
OperatorCases reduction_cases();
OperatorCases matrix_cases();
OperatorCases random_cases();
OperatorCases window_cases();
OperatorCases ordering_cases();
OperatorCases row_cases();
OperatorCases factor_cases();
OperatorCases transform_cases();
OperatorCases composite_cases();

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_OPERATORS_CASES_H_

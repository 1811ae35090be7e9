// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the families of operators hand to operators_test.cpp.
#ifndef PATCHBAY_TESTS_OPERATORS_CASES_H_
#define PATCHBAY_TESTS_OPERATORS_CASES_H_

#include <functional>
#include <string_view>
#include <vector>

#include <patchbay/operators.h>
#include <patchbay/tensor.h>

namespace patchbay::test {

struct OperatorCase {
  std::string_view name;  // the record's
  /// Runs the operator on operands of `dtype` in all layouts and compares with the reference,
  /// within the record's bound.
  std::function<void(const Device& device, DType dtype, const OperatorInfo& record)> run;
};
using OperatorCases = std::vector<OperatorCase>;

OperatorCases memory_cases();
OperatorCases indexing_cases();
OperatorCases elementwise_cases();
OperatorCases reduction_cases();
OperatorCases matrix_cases();
OperatorCases random_cases();
OperatorCases window_cases();
OperatorCases ordering_cases();
OperatorCases row_cases();
OperatorCases composite_cases();

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_OPERATORS_CASES_H_

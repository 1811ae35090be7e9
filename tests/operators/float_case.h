// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Cases of operators whose operands are floats.
#ifndef PATCHBAY_TESTS_OPERATORS_FLOAT_CASE_H_
#define PATCHBAY_TESTS_OPERATORS_FLOAT_CASE_H_

#include <string_view>

#include <gtest/gtest.h>

#include "operators/cases.h"
#include "operators/reference.h"

namespace patchbay::test {

/// Calls check(device, record, zero) with a zero of the dtype under test.
template <class Check>
OperatorCase for_floats(std::string_view name, Check check) {
  return {name, [=](const Device& device, DType dtype, const OperatorInfo& record) {
            with_type(dtype, [&](auto zero) {
              if constexpr (kIsFloat<decltype(zero)>) {
                check(device, record, zero);
              } else {
                FAIL() << record.name << " has no reference for " << to_string(dtype);
              }
            });
          }};
}

/// check<T>(device, record) as for_floats takes it.
#define PATCHBAY_OF_FLOATS(check)                                   \
  [](const Device& device, const OperatorInfo& record, auto zero) { \
    check<decltype(zero)>(device, record);                          \
  }

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_OPERATORS_FLOAT_CASE_H_

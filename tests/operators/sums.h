// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Results that are sums of terms, and their comparison within a record's bound.
#ifndef PATCHBAY_TESTS_OPERATORS_SUMS_H_
#define PATCHBAY_TESTS_OPERATORS_SUMS_H_

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/operators.h>

#include "operators/reference.h"

namespace patchbay::test {

/// A sum, and that of its terms' magnitudes.
template <class T>
struct Sum {
  Exact<T> value{}, scale{};

  void add(Exact<T> term) {
    value += term;
    scale += std::fabs(term);
  }
};
template <class T>
using Sums = std::vector<Sum<T>>;

/// The elements of `expected` have a value and a scale, as those of Sums have.
template <class T, class Element>
void expect_sums(const Values<T>& got, const std::vector<Element>& expected,
                 const OperatorInfo& record, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto [value, scale] = expected[i];
    const bool fits = is_within<T>(got[i], value, record.bound.of(dtype_of<T>()), scale);
    ASSERT_TRUE(fits) << what << " at " << i << ": expected " << value << ", got " << got[i];
  }
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_OPERATORS_SUMS_H_

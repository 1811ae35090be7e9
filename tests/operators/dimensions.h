// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the cases of operators along a dimension share.
#ifndef PATCHBAY_TESTS_OPERATORS_DIMENSIONS_H_
#define PATCHBAY_TESTS_OPERATORS_DIMENSIONS_H_

#include <string>

#include "operators/layouts.h"

namespace patchbay::test {

template <class T>
void expect_same(const Values<T>& got, const Values<T>& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != got[i] && expected[i] != expected[i]) continue;
    ASSERT_EQ(+got[i], +expected[i]) << what << " at " << i;
  }
}

/// Calls body(arrangement, dim) with each dimension of each shape that has one.
template <class Body>
void for_dims(const Body& body) {
  for (const Arrangement& at : arrangements()) {
    for (int dim = 0; dim < at.shape.rank(); ++dim) {
      SCOPED_TRACE(at.name + " along " + std::to_string(dim));
      body(at, dim);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

template <class T>
Stored<T> sum_of(Stored<T> a, Stored<T> b) {
  if constexpr (kIsFloat<T>)
    return T(a + b);
  else
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_OPERATORS_DIMENSIONS_H_

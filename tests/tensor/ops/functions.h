// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What tests of functions share: operands, and how far results are from exact ones.
#ifndef PATCHBAY_TESTS_TENSOR_OPS_FUNCTIONS_H_
#define PATCHBAY_TESTS_TENSOR_OPS_FUNCTIONS_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/tensor.h>

namespace patchbay::test {

using Floats = std::vector<float>;
using Exact = long double;

/// In units in the last place of the exact result.
template <class T>
double error_ulps(T got, Exact exact) {
  const T nearest = static_cast<T>(exact);
  if (nearest == got || (std::isnan(nearest) && std::isnan(got))) return 0;
  if (!std::isfinite(nearest) || !std::isfinite(got)) return INFINITY;
  const T size = std::max(std::fabs(nearest), std::numeric_limits<T>::min());
  const T unit = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  return static_cast<double>(std::fabs(static_cast<Exact>(got) - exact) / unit);
}

/// Evenly spread; enough for several work-groups and an odd rest.
template <class T>
std::vector<T> values_between(double low, double high, std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count - 1);
    values[i] = static_cast<T>(low + (high - low) * part);
  }
  return values;
}

/// Equal, but for a bit of a library.
inline void expect_values(const Tensor& got, const Floats& expected) {
  const Floats values = got.to_vector<float>();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(values[i])) << i << ": " << values[i];
    } else {
      EXPECT_FLOAT_EQ(values[i], expected[i]) << i;  // a library may be a bit off
    }
  }
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_TENSOR_OPS_FUNCTIONS_H_

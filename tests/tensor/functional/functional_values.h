// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the tests of functions of neural networks share: arrays on the host, and how near results
// have to be.
#ifndef PATCHBAY_TESTS_TENSOR_FUNCTIONAL_FUNCTIONAL_VALUES_H_
#define PATCHBAY_TESTS_TENSOR_FUNCTIONAL_FUNCTIONAL_VALUES_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/tensor.h>

namespace patchbay::test {

using Doubles = std::vector<double>;

/// The dtypes of a device in which functions are checked.
inline std::vector<DType> float_dtypes(const Device& device) {
  std::vector<DType> dtypes = {DType::f32};
  if (device.properties().f64) dtypes.push_back(DType::f64);
  if (device.properties().f16) dtypes.push_back(DType::f16);
  if (device.properties().bf16) dtypes.push_back(DType::bf16);
  return dtypes;
}

/// How far results of sums of some ten terms may be from exact ones, as a part of 1.
inline double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f64: return 1e-14;
    case DType::f16: return 2e-3;
    case DType::bf16: return 1.6e-2;
    default: return 2e-6;
  }
}

/// The values in that dtype on the device.
inline Tensor tensor_of(const Doubles& values, const Shape& shape, DType dtype,
                        const Device& device) {
  std::vector<float> floats(values.begin(), values.end());
  if (dtype == DType::f64) return from_host(values, shape, device);
  return from_host(floats, shape, device).cast(dtype);
}

/// The elements as they are stored, in row-major order.
inline Doubles values_of(const Tensor& a) {
  if (a.dtype() == DType::f64) return a.to_vector<double>();
  const std::vector<float> floats = a.cast(DType::f32).to_vector<float>();
  return Doubles(floats.begin(), floats.end());
}

/// Numbers between -2 and 2 that do not repeat soon.
inline Doubles some_values(std::size_t count, int seed = 0) {
  Doubles values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = 2 * std::sin(1.7 * static_cast<double>(i) + seed);
  }
  return values;
}

inline void expect_near(const Tensor& got, const Doubles& expected, const char* what) {
  const Doubles values = values_of(got);
  ASSERT_EQ(values.size(), expected.size()) << what;
  const double tolerance = tolerance_of(got.dtype());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string where = std::string(what) + " of " + std::string(to_string(got.dtype())) +
                              " at " + std::to_string(i);
    if (std::isfinite(expected[i])) {
      EXPECT_NEAR(values[i], expected[i], tolerance * std::fmax(1, std::fabs(expected[i])))
          << where;
    } else if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(values[i])) << where << ": " << values[i];
    } else {
      EXPECT_EQ(values[i], expected[i]) << where;
    }
  }
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_TENSOR_FUNCTIONAL_FUNCTIONAL_VALUES_H_

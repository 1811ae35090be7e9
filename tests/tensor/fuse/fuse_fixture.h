// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fused functions beside the single operations.
#ifndef PATCHBAY_TESTS_TENSOR_FUSE_FUSE_FIXTURE_H_
#define PATCHBAY_TESTS_TENSOR_FUSE_FUSE_FIXTURE_H_

#include "support/device_test.h"
#include "support/layout.h"

namespace patchbay::test {

class FuseTest : public DeviceTest {
 protected:
  /// The same bits on CPU devices and where nothing but exact operations is used; NaN is NaN.
  template <class T>
  void expect_same(const Tensor& got, const Tensor& expected, const std::string& what,
                   double tolerance = 0) const {
    ASSERT_EQ(got.shape(), expected.shape()) << what;
    ASSERT_EQ(got.device(), device_) << what;
    const std::vector<T> x = got.to_vector<T>(), y = expected.to_vector<T>();
    if (std::string(GetParam()) == "cpu:0") tolerance = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] != x[i] && y[i] != y[i]) continue;
      if (x[i] == y[i]) continue;
      const double error = std::fabs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
      ASSERT_LE(error, tolerance * std::fabs(static_cast<double>(y[i]))) << what << " at " << i;
    }
  }
};
inline const auto kChain =
    fuse([](Expression a, Expression b) { return maximum(a * b + 1, 0) * 2 - a; }, "chain");
inline Tensor unfused_chain(const Tensor& a, const Tensor& b) {
  return maximum(a * b + 1, 0) * 2 - a;
}

template <class T>
Tensor random_tensor(const Shape& shape, const Device& device, unsigned seed) {
  return from_host(small_values<T>(count_of(shape), seed), shape, device);
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_TENSOR_FUSE_FUSE_FIXTURE_H_

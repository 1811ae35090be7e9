// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Ranges and deviations of first values. The expected numbers are PyTorch's formulas.
#include <algorithm>
#include <cmath>

#include <patchbay/nn/init.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

namespace init = nn::init;

class InitTest : public DeviceTest {
 protected:
  struct Moments {
    double mean, deviation, least, most;
  };
  static Moments moments_of(const Tensor& tensor) {
    const auto values = tensor.to_vector<float>();
    double sum = 0, squares = 0;
    for (const float value : values) sum += value;
    const double mean = sum / static_cast<double>(values.size());
    for (const float value : values) squares += (value - mean) * (value - mean);
    return {mean, std::sqrt(squares / static_cast<double>(values.size())),
            *std::ranges::min_element(values), *std::ranges::max_element(values)};
  }
  void expect_uniform(const Tensor& tensor, double limit) const {
    const Moments got = moments_of(tensor);
    EXPECT_LE(got.most, limit * (1 + 1e-6));
    EXPECT_GE(got.most, 0.98 * limit);
    EXPECT_GE(got.least, -limit * (1 + 1e-6));
    EXPECT_LE(got.least, -0.98 * limit);
    EXPECT_NEAR(got.deviation, limit / std::sqrt(3.0), 0.03 * limit);
  }
  void expect_normal(const Tensor& tensor, double mean, double deviation) const {
    const Moments got = moments_of(tensor);
    EXPECT_NEAR(got.mean, mean, 0.05 * deviation);
    EXPECT_NEAR(got.deviation, deviation, 0.03 * deviation);
    EXPECT_GT(got.most, mean + 2.5 * deviation);
  }
};
PATCHBAY_ON_EACH_DEVICE(InitTest);

TEST_P(InitTest, HasTheRangesOfItsFormulas) {
  // 60 outputs, 100 inputs of 2 x 3 elements: fans of 600 and 360.
  const Tensor weight = empty({60, 100, 2, 3}, device_);
  weight.requires_grad_();
  const Generator generator(5);
  EXPECT_EQ(init::fan_of(weight).in, 600);
  EXPECT_EQ(init::fan_of(weight).out, 360);
  expect_uniform(init::uniform(weight, -2, 2, generator), 2);
  expect_normal(init::normal(weight, 3, 0.5, generator), 3, 0.5);
  expect_uniform(init::xavier_uniform(weight, 2, generator), 2 * std::sqrt(6.0 / 960));
  expect_normal(init::xavier_normal(weight, 1, generator), 0, std::sqrt(2.0 / 960));
  expect_uniform(init::kaiming_uniform(weight, {}, generator), std::sqrt(6.0 / 600));
  expect_uniform(init::kaiming_uniform(weight, {.slope = std::sqrt(5.0)}, generator),
                 1 / std::sqrt(600.0));
  expect_normal(init::kaiming_normal(weight, {.mode = init::FanMode::kOut}, generator), 0,
                std::sqrt(2.0 / 360));
  EXPECT_EQ(init::constant(weight, 4)[0][0][0].to_vector<float>(), (std::vector<float>{4, 4, 4}));
  EXPECT_TRUE(weight.is_leaf());
}

TEST_P(InitTest, RefusesWhatHasNoFan) {
  EXPECT_ERROR(init::kaiming_uniform(empty({5}, device_)), ErrorCode::kShapeMismatch,
               "[fan_of] too few dimensions: expected a weight [out, in, ...], got [5]");
  EXPECT_EQ(init::xavier_uniform(empty({0, 0}, device_)).num_elements(), 0);
}

TEST(InitGains, AreThoseOfTheFunctions) {
  EXPECT_EQ(init::gain_of(init::Nonlinearity::kLinear), 1);
  EXPECT_EQ(init::gain_of(init::Nonlinearity::kSigmoid), 1);
  EXPECT_DOUBLE_EQ(init::gain_of(init::Nonlinearity::kTanh), 5.0 / 3);
  EXPECT_DOUBLE_EQ(init::gain_of(init::Nonlinearity::kRelu), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(init::gain_of(init::Nonlinearity::kLeakyRelu, 2), std::sqrt(0.4));
  EXPECT_EQ(init::gain_of(init::Nonlinearity::kSelu), 0.75);
}

}  // namespace
}  // namespace patchbay::test

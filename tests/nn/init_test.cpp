// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Ranges and deviations of first values. The expected numbers are PyTorch's formulas.
#include <algorithm>
#include <cmath>

#include <patchbay/nn/init.h>
#include <patchbay/ops.h>

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

TEST_P(InitTest, FillsPatterns) {
  using Floats = std::vector<float>;
  const Tensor matrix = empty({2, 3}, device_).requires_grad_();
  EXPECT_EQ(init::eye(matrix).to_vector<float>(), (Floats{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(init::ones(matrix).to_vector<float>(), Floats(6, 1));
  EXPECT_EQ(init::zeros(matrix).to_vector<float>(), Floats(6, 0));
  // Two groups of two outputs for three channels: each passes on the first two of them.
  const Tensor weight = empty({4, 3, 3}, device_);
  const Floats got = init::dirac(weight, 2).to_vector<float>();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::size_t out = i / 9, in = i / 3 % 3, k = i % 3;
    EXPECT_EQ(got[i], out % 2 == in && k == 1 ? 1 : 0) << i;
  }
  EXPECT_EQ(sum(init::dirac(empty({2, 2, 3, 3}, device_))).item<float>(), 2);
  EXPECT_ERROR(init::eye(weight), ErrorCode::kShapeMismatch,
               "[eye] no matrix: expected two dimensions, got [4, 3, 3]");
  EXPECT_ERROR(init::dirac(matrix), ErrorCode::kShapeMismatch,
               "[dirac] no weight of a convolution: expected 3 to 5 dimensions, got [2, 3]");
  EXPECT_INVALID(init::dirac(weight, 3),
                 "[dirac] wrong groups: expected a divisor of 4 channels, got 3");
}

TEST_P(InitTest, TruncatesNormalNumbers) {
  const Tensor tensor = empty({100, 100}, device_);
  // Between -1 and 2 deviations: the moments of the truncated distribution.
  const Moments got = moments_of(init::trunc_normal(tensor, 1, 0.5, 0.5, 2, Generator(3)));
  EXPECT_GE(got.least, 0.5);
  EXPECT_LE(got.most, 2);
  EXPECT_LT(got.least, 0.505);
  EXPECT_GT(got.most, 1.98);
  EXPECT_NEAR(got.mean, 1 + 0.5 * 0.22963, 0.01);
  EXPECT_NEAR(got.deviation, 0.5 * 0.72095, 0.01);
  // One seed, the same bits everywhere.
  const Tensor host = empty({100, 100}, test_device("cpu:0"));
  init::trunc_normal(host, 1, 0.5, 0.5, 2, Generator(3));
  EXPECT_EQ(tensor.to_vector<float>(), host.to_vector<float>());
  expect_normal(init::trunc_normal(tensor, 0, 1, -100, 100, Generator(3)), 0, 1);
  EXPECT_EQ(init::trunc_normal(empty({0}, device_)).num_elements(), 0);
  EXPECT_INVALID(
      init::trunc_normal(tensor, 0, 1, 2, 2),
      "[trunc_normal] no such distribution: expected low < high and deviation > 0, got 2, 2 and 1");
}

/// The means are those of the truncated distribution, by its density and distribution function.
TEST_P(InitTest, TruncatesNormalNumbersFarOut) {
  const Tensor tensor = empty({100, 100}, {DType::f64, device_});
  struct Case {
    double low, high, mean, most;
  };
  for (const Case& each : {Case{8, 9, 8.12119, 8.8}, Case{8.5, 9.5, 8.61449, 9.2},
                           Case{50, 51, 50.01998, 50.15}, Case{1e6, 1e9, 1e6 + 1e-6, 1e6 + 7e-6}}) {
    for (const bool is_below : {false, true}) {
      const double low = is_below ? -each.high : each.low, high = is_below ? -each.low : each.high;
      init::trunc_normal(tensor, 0, 1, low, high, Generator(3));
      double least = INFINITY, most = 0, sum = 0;
      for (const double value : tensor.to_vector<double>()) {
        least = std::min(least, std::fabs(value));
        most = std::max(most, std::fabs(value));
        sum += std::fabs(value) - each.low;
      }
      EXPECT_GE(least, each.low);
      EXPECT_LE(most, each.high);
      EXPECT_GE(most, each.most);
      EXPECT_NEAR(sum / 10000 / (each.mean - each.low), 1, 0.03) << low << ' ' << high;
    }
  }
}

TEST_P(InitTest, MakesOrthogonalWeights) {
  for (const Shape& shape : {Shape{4, 7}, Shape{7, 4}, Shape{3, 2, 5}}) {
    const Tensor weight = empty(shape, device_).requires_grad_();
    init::orthogonal(weight, 2, Generator(3));
    const Tensor matrix = weight.detach().view({shape[0], -1});
    const bool by_rows = matrix.size(0) < matrix.size(1);
    const Tensor products = by_rows ? matmul(matrix, matrix.t()) : matmul(matrix.t(), matrix);
    const auto values = products.to_vector<float>();
    const auto n = static_cast<std::size_t>(products.size(0));
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], i / n == i % n ? 4 : 0, 1e-5) << i;
    }
  }
  // A decomposition with a positive diagonal leaves the direction of the first column.
  const Tensor drawn = randn({3, 2}, device_, Generator(3));
  const Tensor weight = empty({3, 2}, device_);
  init::orthogonal(weight, 1, Generator(3));
  const Tensor first = drawn.slice(1, 0, 1);
  const auto expected = (first / norm(first)).to_vector<float>();
  const auto got = weight.slice(1, 0, 1).to_vector<float>();
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-6);
  EXPECT_EQ(init::orthogonal(empty({0, 3}, device_)).num_elements(), 0);
  EXPECT_ERROR(init::orthogonal(empty({3}, device_)), ErrorCode::kShapeMismatch,
               "[orthogonal] no matrix: expected two dimensions or more, got [3]");
}

TEST_P(InitTest, LeavesSparseColumns) {
  const Tensor weight = empty({10, 300}, device_);
  init::sparse(weight, 0.25, 0.5, Generator(3));
  const auto values = weight.to_vector<float>();
  double squares = 0;
  std::vector<int> zeros_of_row(10);
  for (std::size_t column = 0; column < 300; ++column) {
    int num_zeros = 0;
    for (std::size_t row = 0; row < 10; ++row) {
      const float value = values[row * 300 + column];
      squares += value * value;
      if (value == 0) ++num_zeros, ++zeros_of_row[row];
    }
    EXPECT_EQ(num_zeros, 3) << column;  // 2.5, rounded up
  }
  EXPECT_NEAR(std::sqrt(squares / 2100), 0.5, 0.03);
  for (const int count : zeros_of_row) EXPECT_NEAR(count, 90, 35);
  EXPECT_INVALID(init::sparse(weight, 1.5), "[sparse] a wrong sparsity: expected 0 to 1, got 1.5");
  EXPECT_ERROR(init::sparse(empty({2}, device_), 0.5), ErrorCode::kShapeMismatch,
               "[sparse] no matrix: expected two dimensions, got [2]");
}

TEST_P(InitTest, RefusesWhatHasNoFan) {
  EXPECT_ERROR(init::kaiming_uniform(empty({5}, device_)), ErrorCode::kShapeMismatch,
               "[fan_of] too few dimensions: expected a weight [out, in, ...], got [5]");
  EXPECT_EQ(init::xavier_uniform(empty({0, 0}, device_)).num_elements(), 0);
}

TEST(InitGains, AreThoseOfTheFunctions) {
  EXPECT_EQ(init::calculate_gain(init::Nonlinearity::kLinear), 1);
  EXPECT_EQ(init::calculate_gain(init::Nonlinearity::kSigmoid), 1);
  EXPECT_DOUBLE_EQ(init::calculate_gain(init::Nonlinearity::kTanh), 5.0 / 3);
  EXPECT_DOUBLE_EQ(init::calculate_gain(init::Nonlinearity::kRelu), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(init::calculate_gain(init::Nonlinearity::kLeakyRelu, 2), std::sqrt(0.4));
  EXPECT_EQ(init::calculate_gain(init::Nonlinearity::kSelu), 0.75);
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Normalization, against loops over the elements in f64.
#include "conformance/reference/rows.h"
#include "support/device_test.h"
#include "tensor/functional/functional_values.h"

namespace patchbay::test {
namespace {

class NormalizationTest : public DeviceTest {
 protected:
  Tensor some(const Shape& shape, DType dtype, int seed = 0) const {
    return tensor_of(some_values(static_cast<std::size_t>(num_elements(shape)), seed), shape, dtype,
                     device_);
  }
};
PATCHBAY_ON_EACH_DEVICE(NormalizationTest);

using Sizes = conformance::NormalizationShape;
using Statistics = conformance::Statistics<double>;

/// Empty weights are 1, empty biases 0.
Doubles normalized(const Sizes& by, const Doubles& x, double epsilon, Doubles weight, Doubles bias,
                   const Statistics& statistics) {
  weight.resize(by.num_weights(), 1);
  bias.resize(by.num_weights(), 0);
  return conformance::values_of(
      conformance::Normalized<double, double>{by, statistics, epsilon, x, {}, weight, bias}
          .terms());
}
Doubles normalized(const Sizes& by, const Doubles& x, double epsilon = 1e-5, Doubles weight = {},
                   Doubles bias = {}) {
  return normalized(by, x, epsilon, weight, bias, Statistics(by, conformance::elements_of(x)));
}
Sizes rows_of(std::int64_t count, std::int64_t size) { return {count, 1, size, 1}; }
Sizes uncentered(Sizes sizes) {
  sizes.is_centered = false;
  return sizes;
}

TEST_P(NormalizationTest, LayerNormOfTheLastDimensions) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor x = some({4, 2, 3}, dtype);
    const Doubles stored = values_of(x);
    expect_near(layer_norm(x, {3}), normalized(rows_of(8, 3), stored), "of one");
    const Tensor weight = some({2, 3}, dtype, 1), bias = some({2, 3}, dtype, 2);
    const auto reference = [&](double epsilon) {
      return normalized(rows_of(4, 6), stored, epsilon, values_of(weight), values_of(bias));
    };
    expect_near(layer_norm(x, {2, 3}, weight, bias), reference(1e-5), "of two");
    expect_near(layer_norm(x, {2, 3}, weight, bias, 0.5), reference(0.5), "epsilon");
    expect_near(layer_norm(x, {2, 3}, {}, bias),
                normalized(rows_of(4, 6), stored, 1e-5, {}, values_of(bias)), "without a weight");
  }
}

TEST_P(NormalizationTest, RmsNormOfTheLastDimensions) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor x = some({4, 6}, dtype), weight = some({6}, dtype, 1);
    const Doubles stored = values_of(x);
    const double least = dtype == DType::f64 ? std::ldexp(1, -52) : std::ldexp(1, -23);
    expect_near(rms_norm(x, {6}), normalized(uncentered(rows_of(4, 6)), stored, least),
                "without a weight");
    expect_near(rms_norm(x, {6}, weight, 0.25),
                normalized(uncentered(rows_of(4, 6)), stored, 0.25, values_of(weight)),
                "with a weight");
  }
  const Tensor tiny = full({1, 2}, 1e-5, device_);
  expect_near(rms_norm(tiny, {2}), Doubles(2, 1e-5 / std::sqrt(1e-10 + std::ldexp(1, -23))),
              "the epsilon of f32");
}

TEST_P(NormalizationTest, GroupNormOfNeighbouringChannels) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor weight = some({4}, dtype, 1), bias = some({4}, dtype, 2);
    const Tensor x = some({2, 4, 3, 2}, dtype);
    for (const std::int64_t groups : {1, 2, 4}) {
      expect_near(group_norm(x, groups, weight, bias),
                  normalized({2, groups, 4 / groups, 6}, values_of(x), 1e-5, values_of(weight),
                             values_of(bias)),
                  "of planes");
    }
    const Tensor flat = some({3, 4}, dtype);
    expect_near(group_norm(flat, 2), normalized({3, 2, 2, 1}, values_of(flat)), "without planes");
  }
}

TEST_P(NormalizationTest, BatchNormByTheBatch) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor weight = some({3}, dtype, 1), bias = some({3}, dtype, 2);
    for (const Shape& shape : {Shape{5, 3}, Shape{4, 3, 2}, Shape{2, 3, 2, 2, 2}}) {
      const Tensor x = some(shape, dtype);
      const Sizes by{shape[0], 3, 1, num_elements(shape) / shape[0] / 3, true};
      const Doubles stored = values_of(x);
      const Statistics statistics(by, conformance::elements_of(stored));
      const DType wide = dtype == DType::f64 ? DType::f64 : DType::f32;
      const Tensor means = tensor_of({1, 2, 3}, {3}, wide, device_);
      const Tensor variances = tensor_of({4, 5, 6}, {3}, dtype, device_);
      expect_near(batch_norm(x, {.running_mean = means,
                                 .running_var = variances,
                                 .weight = weight,
                                 .bias = bias,
                                 .training = true,
                                 .momentum = 0.25}),
                  normalized(by, stored, 1e-5, values_of(weight), values_of(bias)), "batch_norm");
      Doubles moved_means, moved_variances;
      for (std::size_t c = 0; c < 3; ++c) {
        const double n = static_cast<double>(by.count()), at = static_cast<double>(c);
        moved_means.push_back(0.75 * (1 + at) + 0.25 * statistics.means[c]);
        moved_variances.push_back(0.75 * (4 + at) + 0.25 * statistics.variances[c] * n / (n - 1));
      }
      expect_near(means, moved_means, "running mean");
      expect_near(variances, moved_variances, "running variance");
      expect_near(batch_norm(x, {.training = true}), normalized(by, stored), "alone");
    }
  }
}

TEST_P(NormalizationTest, BatchNormByTheRunningStatistics) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor x = some({2, 3, 4}, dtype), weight = some({3}, dtype, 1);
    const Doubles means = {0.5, -0.25, 1}, variances = {0.25, 1, 4};
    const Tensor running_mean = tensor_of(means, {3}, dtype, device_);
    const Tensor running_var = tensor_of(variances, {3}, dtype, device_);
    const Sizes by{2, 3, 1, 4, true};
    const Doubles stored = values_of(x);
    Statistics statistics(by, conformance::elements_of(stored));
    statistics.means = means;
    statistics.variances = variances;
    expect_near(
        batch_norm(x, {.running_mean = running_mean, .running_var = running_var, .weight = weight}),
        normalized(by, stored, 1e-5, values_of(weight), {}, statistics), "batch_norm");
    expect_near(running_mean, means, "the mean stays");
    expect_near(running_var, variances, "the variance stays");
  }
}

/// 4096 + {0, 1, 2, 3}: squares of f32 lose what makes the variance.
TEST_P(NormalizationTest, ALargeMeanCostsNoDigits) {
  const Doubles far = {4096, 4097, 4098, 4099, 4099, 4098, 4097, 4096};
  const Tensor rows = tensor_of(far, {2, 4}, DType::f32, device_);
  const Doubles expected = normalized(rows_of(2, 4), far);
  expect_near(layer_norm(rows, {4}), expected, "layer_norm");
  expect_near(group_norm(rows, 1), expected, "group_norm");
  expect_near(batch_norm(rows, {.training = true}), normalized({2, 4, 1, 1, true}, far),
              "batch_norm");
}

TEST_P(NormalizationTest, OfViewsWithOtherStrides) {
  const Tensor x = some({6, 4}, DType::f32).t();
  const Tensor weight = some({12}, DType::f32, 1).slice(0, 0, 12, 2);
  const Doubles turned = values_of(x);
  expect_near(layer_norm(x, {6}, weight),
              normalized(rows_of(4, 6), turned, 1e-5, values_of(weight)), "layer_norm");
  expect_near(rms_norm(x, {6}, weight, 1e-3),
              normalized(uncentered(rows_of(4, 6)), turned, 1e-3, values_of(weight)), "rms_norm");
  expect_near(group_norm(x, 2, weight), normalized({4, 2, 3, 1}, turned, 1e-5, values_of(weight)),
              "group_norm");
  expect_near(batch_norm(x, {.weight = weight, .training = true}),
              normalized({4, 6, 1, 1, true}, turned, 1e-5, values_of(weight)), "batch_norm");
}

TEST_P(NormalizationTest, OfNoElements) {
  EXPECT_EQ(layer_norm(zeros({0, 3}, device_), {3}).shape(), (Shape{0, 3}));
  EXPECT_EQ(layer_norm(zeros({3, 0}, device_), {0}).shape(), (Shape{3, 0}));
  EXPECT_EQ(group_norm(zeros({0, 4, 2}, device_), 2).shape(), (Shape{0, 4, 2}));
  EXPECT_EQ(rms_norm(zeros({0, 3}, device_), {3}).shape(), (Shape{0, 3}));
  const Tensor mean = ones({3}, device_), variance = ones({3}, device_);
  const Tensor none = zeros({0, 3}, device_).requires_grad_();
  const Tensor y =
      batch_norm(none, {.running_mean = mean, .running_var = variance, .training = true});
  EXPECT_EQ(y.shape(), (Shape{0, 3}));
  expect_near(mean, {1, 1, 1}, "the running mean stays");
  sum(y).backward();
  EXPECT_EQ(none.grad().shape(), (Shape{0, 3}));
}

/// The gradient of small floats is that of f32, rounded.
TEST_P(NormalizationTest, GradientsOfSmallFloats) {
  for (const DType dtype : float_dtypes(device_)) {
    if (size_bytes(dtype) != 2) continue;
    const auto gradient = [&](DType in) {
      const Tensor x = some({2, 4, 2}, dtype).cast(in).requires_grad_();
      const Tensor y = group_norm(x, 2) + layer_norm(x, {2}) + batch_norm(x, {.training = true}) +
                       rms_norm(x, {4, 2});
      sum(y * some({2, 4, 2}, dtype, 5).cast(in)).backward();
      EXPECT_EQ(x.grad().dtype(), in);
      return x.grad();
    };
    const Doubles expected = values_of(gradient(DType::f32)), got = values_of(gradient(dtype));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Four gradients are rounded, and summed.
      EXPECT_NEAR(got[i], expected[i], 8 * tolerance_of(dtype)) << to_string(dtype);
    }
  }
}

/// The running statistics were read before they moved, and need no gradient.
TEST_P(NormalizationTest, TrainingMayMoveStatisticsBetweenForwardAndBackward) {
  const Tensor x = some({4, 2}, DType::f32).requires_grad_();
  const Tensor mean = zeros({2}, device_), variance = ones({2}, device_);
  const BatchNormOptions options{.running_mean = mean, .running_var = variance, .training = true};
  const Tensor first = batch_norm(x, options), second = batch_norm(x, options);
  sum(first * second).backward();
  EXPECT_TRUE(x.grad().defined());
  EXPECT_FALSE(mean.requires_grad());
}

/// The gradient is that of the statistics by which the result was computed.
TEST_P(NormalizationTest, StatisticsMayMoveBetweenEvaluationAndItsBackward) {
  const auto gradients_after = [&](bool moves) {
    const Tensor x = some({4, 2}, DType::f32).requires_grad_();
    const Tensor weight = ones({2}, device_).requires_grad_();
    const Tensor mean = full({2}, 0.5, device_), variance = full({2}, 4, device_);
    const Tensor result =
        batch_norm(x, {.running_mean = mean, .running_var = variance, .weight = weight});
    if (moves) {
      const NoGrad no_grad;
      (void)batch_norm(x, {.running_mean = mean, .running_var = variance, .training = true});
    }
    sum(result * result).backward();
    return std::vector{x.grad().to_vector<float>(), weight.grad().to_vector<float>()};
  };
  EXPECT_EQ(gradients_after(true), gradients_after(false));
}

TEST_P(NormalizationTest, Errors) {
  const Tensor x = zeros({2, 3}, device_), integers = zeros({2, 3}, {DType::i32, device_});
  const Tensor three = ones({3}, device_), two = ones({2}, device_);
  struct Function {
    std::string name;
    std::function<Tensor(const Tensor& input, const Tensor& weight, double epsilon)> call;
  };
  const Function functions[] = {
      {"[layer_norm] ",
       [](const auto& a, const auto& w, double e) { return layer_norm(a, {3}, w, {}, e); }},
      {"[rms_norm] ",
       [](const auto& a, const auto& w, double e) { return rms_norm(a, {3}, w, e); }},
      {"[group_norm] ",
       [](const auto& a, const auto& w, double e) { return group_norm(a, 1, w, {}, e); }},
      {"[batch_norm] ", [](const auto& a, const auto& w, double e) {
         return batch_norm(a, {.weight = w, .training = true, .epsilon = e});
       }}};
  for (const auto& [name, call] : functions) {
    EXPECT_ERROR(call(integers, {}, 0), kDtypeMismatch,
                 name + "is not defined for i32: expected one of f32, f64, f16, bf16");
    EXPECT_INVALID(call(Tensor(), {}, 0), name + "input is undefined");
    EXPECT_ERROR(call(x, two, 0), kShapeMismatch,
                 name + "weight has the wrong shape: expected [3], got [2] (input: f32 [2, 3]");
    EXPECT_ERROR(call(x, integers[0], 0), kDtypeMismatch, name + "operands have different dtypes");
    EXPECT_ERROR(call(x, ones({3}, other_), 0), kDeviceMismatch,
                 name + "operands are on different devices");
    for (const double bad : {-1.0, double{NAN}, double{INFINITY}}) {
      EXPECT_INVALID(call(x, {}, bad), name + "bad epsilon: expected a number of 0 or more, got ");
    }
  }
  for (const Shape& shape : {Shape{2}, Shape{3, 3}, Shape{1, 2, 3}, Shape{}}) {
    const std::string text =
        "the normalized shape is not that of the last dimensions: expected the last one or more "
        "of [2, 3], got " +
        to_string(shape);
    EXPECT_ERROR(layer_norm(x, shape), kShapeMismatch, "[layer_norm] " + text);
    EXPECT_ERROR(rms_norm(x, shape), kShapeMismatch, "[rms_norm] " + text);
  }
  for (const int groups : {0, -1, 2}) {
    EXPECT_INVALID(group_norm(x, groups), "[group_norm] the groups do not divide the channels",
                   "expected a divisor of 3, got ");
  }
  EXPECT_ERROR(layer_norm(x, {3}, three, two), kShapeMismatch, "[layer_norm] bias", "[3], got [2]");
  EXPECT_ERROR(group_norm(three, 1), kShapeMismatch,
               "[group_norm] input has no channels: expected [n, channels, ...], got [3]");
}

TEST_P(NormalizationTest, ErrorsOfBatchNorm) {
  const Tensor x = zeros({2, 3}, device_), three = ones({3}, device_), two = ones({2}, device_);
  const auto call = [&](const Tensor& mean, const Tensor& variance, bool training) {
    return batch_norm(x, {.running_mean = mean, .running_var = variance, .training = training});
  };
  EXPECT_INVALID(call({}, {}, false), "[batch_norm]",
                 "expected a running mean and a running variance, got none");
  EXPECT_INVALID(call(three, {}, true),
                 "expected a running mean and a running variance, or none, got only a mean");
  EXPECT_INVALID(call({}, three, true), "got only a variance");
  EXPECT_ERROR(call(two, three, true), kShapeMismatch, "[batch_norm] running_mean", "[3], got [2]");
  EXPECT_ERROR(call(three, two, false), kShapeMismatch, "[batch_norm] running_var", "[3], got [2]");
  EXPECT_ERROR(call(three, ones({3}, {DType::i64, device_}), false), kDtypeMismatch,
               "[batch_norm] operands have different dtypes");
  EXPECT_ERROR(batch_norm(three, {.training = true}), kShapeMismatch,
               "[batch_norm] input has no channels: expected [n, channels, ...], got [3]");
  EXPECT_INVALID(batch_norm(x.slice(0, 0, 1), {.training = true}), "[batch_norm] one element",
                 "expected more for statistics of the batch, got [1, 3]");
  EXPECT_INVALID(batch_norm(x, {.training = true, .momentum = 1.5}),
                 "[batch_norm] bad momentum: expected 0 to 1, got 1.5");
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Losses and activations as modules, against the functions and formulas that they stand for.
#include <algorithm>
#include <cmath>

#include <patchbay/nn/activation.h>
#include <patchbay/nn/containers.h>
#include <patchbay/nn/loss.h>

#include "nn/nets.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class LossTest : public DeviceTest {
 protected:
  Tensor values(const Shape& shape, std::uint64_t seed = 7) const {
    return randn(shape, device_, Generator(seed));
  }
  /// Against a formula in f64.
  template <class M, class Formula>
  void expect_values(M module, Formula formula) const {
    const Floats points = {-30, -3.5F, -1, -0.4F, 0, 0.3F, 1, 2.5F, 7, 30};
    const Floats got = module(from_host(points, {10}, device_)).template to_vector<float>();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double expected = formula(static_cast<double>(points[i]));
      EXPECT_NEAR(got[i], expected, 2e-6 * std::max(1.0, std::abs(expected)))
          << module.type_name() << " of " << points[i];
    }
  }
};
PATCHBAY_ON_EACH_DEVICE(LossTest);

TEST_P(LossTest, IsItsFunction) {
  const Tensor x = values({4, 3}), y = values({4, 3}, 8);
  expect_equal(nn::MSELoss()(x, y), mse_loss(x, y));
  expect_equal(nn::L1Loss(LossReduction::kSum)(x, y), l1_loss(x, y, LossReduction::kSum));
  expect_equal(nn::HuberLoss(0.5)(x, y), huber_loss(x, y, 0.5));
  expect_equal(nn::SmoothL1Loss(0.5, LossReduction::kNone)(x, y),
               huber_loss(x, y, 0.5, LossReduction::kNone) / 0.5);
  expect_equal(nn::SmoothL1Loss(0)(x, y), l1_loss(x, y));
  const Tensor probability = sigmoid(y), weight = rand({3}, device_);
  expect_equal(nn::BCEWithLogitsLoss({.weight = weight, .positive_weight = weight})(x, probability),
               binary_cross_entropy_with_logits(x, probability,
                                                {.weight = weight, .positive_weight = weight}));
  const Tensor classes = from_host(std::vector<std::int64_t>{0, 2, 1, 2}, {4}, device_);
  expect_equal(nn::NLLLoss({.weight = weight, .ignored_index = 1})(x, classes),
               nll_loss(x, classes, {.weight = weight, .ignored_index = 1}));
  expect_equal(nn::CrossEntropyLoss({.weight = weight, .label_smoothing = 0.1})(x, classes),
               cross_entropy(x, classes, {.weight = weight, .label_smoothing = 0.1}));
  expect_equal(nn::CrossEntropyLoss()(x, classes), cross_entropy(x, classes));
}

/// What lies between is computed in f32: in f16 it would overflow, or become 0.
TEST_P(LossTest, SmoothL1IsRoundedOnce) {
  struct Case {
    double beta;
    float x;
    double loss, slope;
  };
  for (const DType dtype : {DType::f16, DType::bf16}) {
    for (const Case& each : {Case{1000, 500, 125, 0.5},
                             {1e-4, 1e-3F, 9.5e-4, 1},
                             {1e-5, 1e-6F, 5e-8, 0.1},
                             {0.5, 2, 1.75, 1}}) {
      const Tensor x = full({1}, each.x, {dtype, device_}).requires_grad_();
      const Tensor loss = nn::SmoothL1Loss(each.beta)(x, zeros({1}, {dtype, device_}));
      EXPECT_EQ(loss.dtype(), dtype);
      loss.backward();
      const double step = dtype == DType::f16 ? 6e-8 : 0, part = dtype == DType::f16 ? 2e-3 : 8e-3;
      EXPECT_NEAR(loss.item<float>(), each.loss, part * each.loss + step) << each.beta;
      EXPECT_NEAR(x.grad().cast(DType::f32).to_vector<float>()[0], each.slope,
                  part * each.slope + step / each.beta)
          << each.beta;
    }
  }
  EXPECT_ERROR(nn::SmoothL1Loss()(ones({1}, {DType::f16, device_}), ones({1}, device_)),
               ErrorCode::kDtypeMismatch,
               "[huber_loss] operands have different dtypes: expected target of f16 like input");
}

/// beta |d| is too small for f32, or beta itself is too small or too large.
TEST_P(LossTest, SmoothL1TakesAnyBeta) {
  struct Case {
    double beta;
    float x;
    double loss;
  };
  for (const Case& each : {Case{1e-37, 1e-8F, 1e-8},
                           {1e-38, 1e-8F, 1e-8},
                           {1e-46, 1, 1},
                           {1e-46, 1e-8F, 1e-8},
                           {1e-300, -2, 2},
                           {1e-30, 1e6F, 1e6},
                           {4e-20, 2e-20F, 5e-21},
                           {1e39, 1e30F, 5e20},
                           {1e300, 1, 0}}) {
    const Tensor x = from_host(Floats{each.x}, {1}, device_).requires_grad_();
    const Tensor loss = nn::SmoothL1Loss(each.beta, LossReduction::kSum)(x, zeros({1}, device_));
    EXPECT_NEAR(loss.item<float>(), each.loss, 1e-6 * each.loss) << each.beta;
    loss.backward();
    const double slope = std::clamp(each.x / each.beta, -1.0, 1.0);
    EXPECT_NEAR(x.grad().to_vector<float>()[0], slope, 1e-6 * std::abs(slope) + 1e-45) << each.beta;
  }
}

TEST_P(LossTest, WeightsMoveWithTheModule) {
  nn::CrossEntropyLoss loss({.weight = ones({3}, test_device("cpu:0"))});
  EXPECT_EQ(names_of(loss.named_buffers()), Names{"weight"});
  EXPECT_TRUE(loss.parameters().empty());
  loss.move_to(device_);
  EXPECT_EQ(loss.weight.device(), device_);
  loss.cast(DType::bf16);
  const Tensor x = values({2, 3}).cast(DType::bf16);
  const Tensor classes = from_host(std::vector<std::int64_t>{0, 2}, {2}, device_);
  EXPECT_EQ(loss(x, classes).dtype(), DType::bf16);
  nn::BCEWithLogitsLoss binary({.positive_weight = ones({3}, device_)});
  EXPECT_EQ(names_of(binary.named_buffers()), Names{"pos_weight"});
}

TEST_P(LossTest, SaysWhatIsWrong) {
  nn::MSELoss loss;
  EXPECT_ERROR(loss(values({2}), values({3})), ErrorCode::kShapeMismatch,
               "Reshape or expand it. Layer: MSELoss.");
  EXPECT_ERROR(loss(values({2})), ErrorCode::kUnsupported, "[MSELoss] no forward of one tensor");
  EXPECT_INVALID(nn::SmoothL1Loss(-1),
                 "[SmoothL1Loss] a wrong beta: expected a finite number >= 0, got -1");
  EXPECT_INVALID(nn::SmoothL1Loss(INFINITY),
                 "[SmoothL1Loss] a wrong beta: expected a finite number >= 0, got inf");
  EXPECT_INVALID(nn::HuberLoss(0), "[HuberLoss] a wrong delta: expected a number > 0, got 0");
}

TEST_P(LossTest, ActivationsAreTheirFormulas) {
  const auto softplus_of = [](double x) {
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  };
  const auto clamp_of = [](double x, double low, double high) {
    return std::min(std::max(x, low), high);
  };
  expect_values(nn::ReLU6(), [&](double x) { return clamp_of(x, 0, 6); });
  expect_values(nn::Hardtanh(-2, 1), [&](double x) { return clamp_of(x, -2, 1); });
  expect_values(nn::Hardsigmoid(), [&](double x) { return clamp_of(x / 6 + 0.5, 0, 1); });
  expect_values(nn::Hardswish(), [&](double x) { return x * clamp_of(x / 6 + 0.5, 0, 1); });
  expect_values(nn::Mish(), [&](double x) { return x * std::tanh(softplus_of(x)); });
  expect_values(nn::LogSigmoid(), [&](double x) { return -softplus_of(-x); });
  expect_values(nn::Softplus(2), [&](double x) { return softplus_of(2 * x) / 2; });
  expect_values(nn::Softsign(), [](double x) { return x / (1 + std::abs(x)); });
  expect_values(nn::Tanhshrink(), [](double x) { return x - std::tanh(x); });
  expect_values(nn::Hardshrink(0.4), [](double x) { return std::abs(x) > 0.4F ? x : 0; });
  expect_values(nn::Softshrink(0.4),
                [](double x) { return std::abs(x) <= 0.4 ? 0 : x - std::copysign(0.4, x); });
  expect_values(nn::SELU(), [](double x) {
    return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
  });
  expect_values(nn::CELU(2), [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); });
}

/// Points inside a bound are not rounded to it on the way.
TEST_P(LossTest, ActivationsOfSixteenBitsAreThoseOfF32Rounded) {
  std::vector<float> points = {2.984375F, -2.984375F, 2.998046875F, -2.998046875F, 100, 1000};
  for (int i = -64; i <= 64; ++i) points.push_back(static_cast<float>(i) / 16);
  const auto count = static_cast<std::int64_t>(points.size());
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const auto check = [&](nn::Module&& layer) {
      SCOPED_TRACE(layer.type_name() + ' ' + std::string(to_string(dtype)));
      const Tensor x = from_host(points, {count}, device_).cast(dtype).requires_grad_();
      const Tensor wide = x.detach().cast(DType::f32).requires_grad_();
      const Tensor y = layer(x), expected = layer(wide);
      EXPECT_EQ(y.detach().to_vector<float>(), expected.detach().cast(dtype).to_vector<float>());
      EXPECT_EQ(gradients({sum(y)}, {x})[0].to_vector<float>(),
                gradients({sum(expected)}, {wide})[0].cast(dtype).to_vector<float>());
    };
    check(nn::Hardsigmoid());
    check(nn::Hardswish());
    check(nn::Mish());
    check(nn::Softsign());
    check(nn::Tanhshrink());
  }
}

/// tanh is 1 for large numbers, so that the gradient of Mish is 1 and no rounding error grows.
TEST_P(LossTest, MishIsStraightFarFromZero) {
  const Tensor x = from_host({20.0F, 100.0F, 1e10F, 1e30F}, {4}, device_).requires_grad_();
  const Tensor y = nn::Mish()(x);
  EXPECT_EQ(y.detach().to_vector<float>(), x.detach().to_vector<float>());
  EXPECT_EQ(gradients({sum(y)}, {x})[0].to_vector<float>(), Floats(4, 1));
}

/// The gradient 1 / (1 + |x|)^2 keeps its digits far from 0, and the infinities have their limits.
TEST_P(LossTest, SoftsignFarFromZero) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Floats points{0, 0.5, 1, -1, 3, -1e3, 1e6, 1e15, kInfinity, -kInfinity};
  const auto count = static_cast<std::int64_t>(points.size());
  const Tensor x = from_host(points, {count}, device_).requires_grad_();
  const Tensor y = nn::Softsign()(x);
  const Tensor first = gradients({sum(y)}, {x}, {}, {.create_graph = true})[0];
  const Floats values = y.detach().to_vector<float>(), slopes = first.detach().to_vector<float>(),
               bends = gradients({sum(first)}, {x})[0].to_vector<float>();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double size = std::abs(points[i]), sign = points[i] < 0 ? -1 : 1;
    const double slope = 1 / ((1 + size) * (1 + size));
    const double bend = points[i] == 0 ? 0 : -2 * sign * slope / (1 + size);
    const double value = std::isinf(size) ? sign : points[i] / (1 + size);
    EXPECT_NEAR(values[i], value, 3e-7 * std::abs(value)) << points[i];
    EXPECT_NEAR(slopes[i], slope, 1e-6 * slope) << points[i];
    EXPECT_NEAR(bends[i], bend, 2e-6 * std::abs(bend) + 1e-38) << points[i];
  }
}

TEST_P(LossTest, SoftsignRefusesIntegers) {
  EXPECT_ERROR(nn::Softsign()(ones({2}, {DType::i32, device_})), ErrorCode::kDtypeMismatch,
               "[Softsign] is not defined for i32: expected one of f32, f64, f16, bf16, got i32 "
               "(input: i32 [2] on " +
                   device_.name() + ").");
}

TEST_P(LossTest, ActivationsOfSeveralElements) {
  const Tensor x = values({2, 4, 3});
  expect_equal(nn::Softmin(1)(x), softmax(-x, 1));
  expect_equal(nn::GLU(1)(x), x.slice(1, 0, 2) * sigmoid(x.slice(1, 2)));
  EXPECT_ERROR(nn::GLU()(x), ErrorCode::kShapeMismatch,
               "[GLU] no two halves: expected an even extent of dimension -1, got 3 (input: [2, 4, "
               "3]). Layer: GLU.");
  nn::PReLU one(1, {.tensor = device_});
  EXPECT_EQ(one.weight->to_vector<float>(), Floats{0.25});
  expect_equal(one(x), leaky_relu(x, 0.25));
  nn::PReLU each(4, {.slope = 0.5, .tensor = device_});
  EXPECT_EQ(each.details(), "4");
  each.weight.set(from_host(Floats{0, 1, 2, 3}, {4}, device_));
  expect_equal(each(x), where(gt(x, 0), x, x * each.weight->detach().view({4, 1})));
  sum(each(x)).backward();
  expect_equal(each.weight->grad(), sum(minimum(x, 0), {0, 2}));
  EXPECT_ERROR(
      each(values({3})), ErrorCode::kShapeMismatch,
      "[PReLU] a wrong input: expected [n, 4, ...], for one weight each, got [3]. Layer: PReLU.");
}

}  // namespace
}  // namespace patchbay::test

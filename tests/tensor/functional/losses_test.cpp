// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Losses between an input and a target of one shape, and dropout.
#include "support/device_test.h"
#include "tensor/functional/functional_values.h"

namespace patchbay::test {
namespace {

constexpr LossReduction kNone = LossReduction::kNone, kMean = LossReduction::kMean,
                        kSum = LossReduction::kSum;

PATCHBAY_DEVICE_TESTS(LossesTest);

double sum_of(const Doubles& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

struct Loss {
  const char* name;
  std::function<Tensor(const Tensor&, const Tensor&, LossReduction)> compute;
  std::function<double(double, double)> exact;
};

double softplus_of(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }

const std::vector<Loss>& losses() {
  static const auto& all = *new std::vector<Loss>{
      {"mse_loss", mse_loss, [](double x, double t) { return (x - t) * (x - t); }},
      {"l1_loss", l1_loss, [](double x, double t) { return std::fabs(x - t); }},
      {"huber_loss",
       [](const Tensor& x, const Tensor& t, LossReduction how) {
         return huber_loss(x, t, 0.75, how);
       },
       [](double x, double t) {
         const double d = std::fabs(x - t);
         return d <= 0.75 ? d * d / 2 : 0.75 * (d - 0.375);
       }},
      {"binary_cross_entropy_with_logits",
       [](const Tensor& x, const Tensor& t, LossReduction how) {
         return binary_cross_entropy_with_logits(x, t, {.reduction = how});
       },
       [](double x, double t) { return softplus_of(x) - x * t; }}};
  return all;
}

TEST_P(LossesTest, AgreeWithTheirFormulas) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor x = tensor_of(some_values(12), {3, 4}, dtype, device_);
    const Tensor t = tensor_of(some_values(12, 1), {3, 4}, dtype, device_);
    const Doubles given = values_of(x), wanted = values_of(t);
    for (const Loss& loss : losses()) {
      Doubles expected;
      for (std::size_t i = 0; i < 12; ++i) expected.push_back(loss.exact(given[i], wanted[i]));
      const double total = sum_of(expected);
      expect_near(loss.compute(x, t, kNone), expected, loss.name);
      expect_near(loss.compute(x, t, kSum), {total}, loss.name);
      expect_near(loss.compute(x, t, kMean), {total / 12}, loss.name);
      EXPECT_EQ(loss.compute(x, t, kMean).rank(), 0);
      expect_near(loss.compute(x.t(), t.t(), kSum), {total}, loss.name);
    }
  }
}

TEST_P(LossesTest, OfNoElements) {
  const Tensor none = zeros({0, 2}, device_);
  for (const Loss& loss : losses()) {
    EXPECT_EQ(loss.compute(none, none, kNone).shape(), (Shape{0, 2})) << loss.name;
    expect_near(loss.compute(none, none, kSum), {0}, loss.name);
    expect_near(loss.compute(none, none, kMean), {NAN}, loss.name);
  }
}

TEST_P(LossesTest, LargeLogitsDoNotOverflow) {
  const Tensor x = tensor_of({1000, -1000, 1000, -1000}, {4}, DType::f32, device_).requires_grad_();
  const Tensor t = tensor_of({1, 0, 0, 1}, {4}, DType::f32, device_);
  const Tensor loss = binary_cross_entropy_with_logits(x, t, {.reduction = kNone});
  expect_near(loss, {0, 0, 1000, 1000}, "loss");
  sum(loss).backward();
  expect_near(x.grad(), {0, 0, 1, -1}, "gradient");
}

/// log(1 + exp(-x)) is far below x.
TEST_P(LossesTest, SmallLossesOfLogitsKeepTheirDigits) {
  const Doubles given = {10, 20, -10, -20, 10, -20};
  const Tensor t = tensor_of({1, 1, 0, 0, 1, 0}, {6}, DType::f32, device_);
  for (const double positive : {1.0, 3.0}) {
    const Tensor x = tensor_of(given, {6}, DType::f32, device_).requires_grad_();
    BinaryCrossEntropyOptions options{.reduction = kNone};
    if (positive != 1) options.positive_weight = full({1}, positive, device_);
    const Tensor loss = binary_cross_entropy_with_logits(x, t, options);
    sum(loss).backward();
    const Doubles losses = values_of(loss), gradients = values_of(x.grad());
    for (std::size_t i = 0; i < given.size(); ++i) {
      const double weight = given[i] > 0 ? positive : 1, size = std::fabs(given[i]);
      const double expected = weight * softplus_of(-size);
      EXPECT_NEAR(losses[i], expected, 1e-5 * expected) << given[i];
      const double slope = weight / (1 + std::exp(size));
      EXPECT_NEAR(gradients[i], given[i] > 0 ? -slope : slope, 1e-5 * slope) << given[i];
    }
  }
}

TEST_P(LossesTest, InfiniteLogits) {
  const Doubles infinite = {INFINITY, INFINITY, -INFINITY, -INFINITY, INFINITY, -INFINITY, NAN};
  const Tensor t = tensor_of({0, 1, 0, 1, 0.5, 0.5, 1}, {7}, DType::f32, device_);
  for (const bool has_weight : {false, true}) {
    const Tensor x = tensor_of(infinite, {7}, DType::f32, device_).requires_grad_();
    BinaryCrossEntropyOptions options{.reduction = kNone};
    if (has_weight) options.positive_weight = full({7}, 2, device_);
    const Tensor loss = binary_cross_entropy_with_logits(x, t, options);
    expect_near(loss, {INFINITY, 0, 0, INFINITY, INFINITY, INFINITY, NAN}, "loss");
    sum(loss).backward();
    const double of_one = has_weight ? 2 : 1;
    expect_near(x.grad(), {1, 0, 0, -of_one, 0.5, -of_one / 2, NAN}, "gradient");
  }
}

/// Also of targets at 0 and 1, and outside.
TEST_P(LossesTest, GradientsOfTargetsAndWeights) {
  const Tensor x = tensor_of({2, 2, -2, -2, 0, 3}, {6}, DType::f32, device_);
  const Tensor t = tensor_of({0, 1, 0, 1, 0.5, 2}, {6}, DType::f32, device_).requires_grad_();
  expect_near(binary_cross_entropy_with_logits(x, t, {.reduction = kNone}),
              {softplus_of(2), softplus_of(-2), softplus_of(-2), softplus_of(2), std::log(2.0),
               softplus_of(3) - 6},
              "loss");
  binary_cross_entropy_with_logits(x, t, {.reduction = kSum}).backward();
  expect_near(t.grad(), {-2, -2, 2, 2, 0, -3}, "targets");
  const Tensor positive = full({6}, 3, device_).requires_grad_();
  binary_cross_entropy_with_logits(x, t.detach(), {.positive_weight = positive, .reduction = kSum})
      .backward();
  expect_near(positive.grad(),
              {0, softplus_of(-2), 0, softplus_of(2), std::log(2.0) / 2, 2 * softplus_of(-3)},
              "weights");
}

TEST_P(LossesTest, NaNStaysInGradients) {
  const Tensor x = leaf({NAN, 3, -3});
  sum(huber_loss(x, zeros({3}, device_), 1, LossReduction::kNone)).backward();
  const Floats grads = x.grad().to_vector<float>();
  EXPECT_TRUE(std::isnan(grads[0]));
  EXPECT_EQ(grads[1], 1);
  EXPECT_EQ(grads[2], -1);
}

/// Also at 0, where formulas with |x| have no derivative.
TEST_P(LossesTest, GradientsAtZero) {
  const Tensor x = zeros({2}, device_).requires_grad_();
  const Tensor t = tensor_of({0, 1}, {2}, DType::f32, device_);
  binary_cross_entropy_with_logits(x, t, {.reduction = kSum}).backward();
  expect_near(x.grad(), {0.5, -0.5}, "gradient");
  x.set_grad({});
  const Tensor positive = tensor_of({3, 3}, {2}, DType::f32, device_);
  binary_cross_entropy_with_logits(x, t, {.positive_weight = positive, .reduction = kSum})
      .backward();
  expect_near(x.grad(), {0.5, -1.5}, "gradient");
  x.set_grad({});
  huber_loss(x, x.detach(), 1, kSum).backward();
  expect_near(x.grad(), {0, 0}, "gradient");
  const Tensor loss = binary_cross_entropy_with_logits(x, t, {.reduction = kSum});
  const std::vector<Tensor> first = gradients({loss}, {x}, {}, {.create_graph = true});
  expect_near(gradients({sum(first[0])}, {x})[0], {0.25, 0.25}, "second gradient");
}

TEST_P(LossesTest, WeightsBroadcast) {
  const Tensor x = tensor_of(some_values(6), {2, 3}, DType::f32, device_);
  const Tensor t = tensor_of({0, 1, 0.5, 1, 0, 0.25}, {2, 3}, DType::f32, device_);
  const Doubles weights = {1, 2, 3}, positive = {0.5, 2, 4};
  const Tensor w = tensor_of(weights, {3}, DType::f32, device_);
  const Tensor p = tensor_of(positive, {3}, DType::f32, device_);
  const Doubles given = values_of(x), wanted = values_of(t);
  Doubles expected;
  for (std::size_t i = 0; i < 6; ++i) {
    const double one = positive[i % 3] * wanted[i] * softplus_of(-given[i]) +
                       (1 - wanted[i]) * softplus_of(given[i]);
    expected.push_back(weights[i % 3] * one);
  }
  expect_near(binary_cross_entropy_with_logits(x, t, {w, p, kNone}), expected, "weighted");
}

/// A delta that the dtype can't hold: all losses are squares.
TEST_P(LossesTest, HuberOfALargeDelta) {
  for (const DType dtype : float_dtypes(device_)) {
    for (const double delta : {1e39, double{INFINITY}}) {
      const Tensor x = tensor_of({1, -3}, {2}, dtype, device_).requires_grad_();
      const Tensor loss = huber_loss(x, zeros({2}, {dtype, device_}), delta, kSum);
      expect_near(loss, {5}, "loss");
      loss.backward();
      expect_near(x.grad(), {1, -3}, "gradient");
    }
  }
}

TEST_P(LossesTest, Errors) {
  const Tensor x = zeros({2, 3}, device_), row = zeros({3}, device_);
  const Tensor integers = zeros({2, 3}, {DType::i32, device_});
  for (const Loss& loss : losses()) {
    const std::string name = std::string("[") + loss.name + "] ";
    EXPECT_ERROR(loss.compute(x, row, kMean), kShapeMismatch,
                 name + "target has the wrong shape: expected [2, 3] like input, got [3]");
    EXPECT_ERROR(loss.compute(x, integers, kMean), kDtypeMismatch,
                 name + "operands have different dtypes");
    EXPECT_ERROR(loss.compute(integers, integers, kMean), kDtypeMismatch,
                 name + "is not defined for i32");
    EXPECT_INVALID(loss.compute(Tensor(), x, kMean), name + "input is undefined");
    EXPECT_INVALID(loss.compute(x, Tensor(), kMean), name + "target is undefined");
    EXPECT_ERROR(loss.compute(x, zeros({2, 3}, other_), kMean), kDeviceMismatch,
                 name + "operands are on different devices");
  }
  for (const double delta : {0.0, -1.0, double{NAN}}) {
    EXPECT_INVALID(huber_loss(x, x, delta), "[huber_loss] bad delta");
  }
  EXPECT_ERROR(binary_cross_entropy_with_logits(x, x, {.weight = zeros({4, 2, 3}, device_)}),
               kShapeMismatch, "weight has the wrong shape: expected one that");
}

PATCHBAY_DEVICE_TESTS(DropoutTest);

TEST_P(DropoutTest, ScalesWhatItKeeps) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor a = ones({4000}, {dtype, device_}).requires_grad_();
    const Generator generator(5);
    const Tensor y = dropout(a, 0.25, true, generator);
    std::size_t num_dropped = 0;
    for (const double value : values_of(y)) {
      if (value == 0) {
        ++num_dropped;
      } else {
        EXPECT_NEAR(value, 4.0 / 3, 4.0 / 3 * tolerance_of(dtype));
      }
    }
    EXPECT_NEAR(static_cast<double>(num_dropped), 1000, 120);  // four deviations
    sum(y).backward();
    EXPECT_EQ(values_of(a.grad()), values_of(y)) << "the gradient has the mask of the forward pass";
    EXPECT_EQ(values_of(dropout(a, 0.25, true, Generator(5))), values_of(y));
  }
}

TEST_P(DropoutTest, OfAllAndOfNothing) {
  const Tensor a = tensor_of({1, INFINITY, 3}, {3}, DType::f32, device_);
  EXPECT_TRUE(dropout(a, 0).is_same(a));
  EXPECT_TRUE(dropout(a, 0.5, /*training=*/false).is_same(a));
  expect_near(dropout(tensor_of({1, -2}, {2}, DType::f32, device_), 1), {0, 0}, "dropout");
  for (const double p : {-0.1, 1.1, double{NAN}}) {
    EXPECT_INVALID(dropout(a, p), "[dropout] bad probability: expected 0 to 1");
  }
  EXPECT_ERROR(dropout(zeros({2}, {DType::i64, device_})), kDtypeMismatch,
               "[dropout] is not defined for i64");
}

}  // namespace
}  // namespace patchbay::test

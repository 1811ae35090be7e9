// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Losses of classes, by index and by probability.
#include "support/device_test.h"
#include "tensor/functional/functional_values.h"

namespace patchbay::test {
namespace {

constexpr LossReduction kNone = LossReduction::kNone, kMean = LossReduction::kMean,
                        kSum = LossReduction::kSum;

PATCHBAY_DEVICE_TESTS(CrossEntropyTest);

/// Scores of n samples with `inner` places each: [n, classes, inner].
struct Problem {
  std::size_t n, classes, inner;
  Doubles scores;

  double log_probability(std::size_t sample, std::size_t c) const {
    const std::size_t first = sample / inner * classes * inner + sample % inner;
    double total = 0;
    for (std::size_t k = 0; k < classes; ++k) total += std::exp(scores[first + k * inner]);
    return scores[first + c * inner] - std::log(total);
  }
  std::size_t num_samples() const { return n * inner; }
};

struct Expected {
  Doubles losses;
  double total = 0, divisor = 0;
};

/// -1 is ignored.
Expected by_index(const Problem& problem, const Longs& targets, const Doubles& weights,
                  double smoothing) {
  Expected expected;
  for (std::size_t i = 0; i < problem.num_samples(); ++i) {
    double loss = 0;
    if (targets[i] >= 0) {
      const auto wanted = static_cast<std::size_t>(targets[i]);
      loss = -(1 - smoothing) * weights[wanted] * problem.log_probability(i, wanted);
      for (std::size_t c = 0; c < problem.classes; ++c) {
        loss -= smoothing / static_cast<double>(problem.classes) * weights[c] *
                problem.log_probability(i, c);
      }
      expected.divisor += weights[wanted];
    }
    expected.losses.push_back(loss);
    expected.total += loss;
  }
  return expected;
}

TEST_P(CrossEntropyTest, ByIndex) {
  const Longs targets = {2, 0, -1, 1, 2, 1};
  const Doubles plain = {1, 1, 1}, weights = {0.5, 2, 3};
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor x = tensor_of(some_values(18), {2, 3, 3}, dtype, device_);
    const Problem problem{2, 3, 3, values_of(x)};
    for (const DType index : {DType::i64, DType::i32}) {
      const Tensor t = from_host(targets, {2, 3}, device_).cast(index);
      for (const bool weighted : {false, true}) {
        for (const double smoothing : {0.0, 0.3, 1.0}) {
          const Expected expected =
              by_index(problem, targets, weighted ? weights : plain, smoothing);
          CrossEntropyOptions options{weighted ? tensor_of(weights, {3}, dtype, device_) : Tensor(),
                                      -1, smoothing, kNone};
          expect_near(cross_entropy(x, t, options), expected.losses, "each");
          options.reduction = kSum;
          expect_near(cross_entropy(x, t, options), {expected.total}, "sum");
          options.reduction = kMean;
          expect_near(cross_entropy(x, t, options), {expected.total / expected.divisor}, "mean");
          if (smoothing > 0) continue;
          if (dtype != DType::f32 && dtype != DType::f64) continue;  // which would round twice
          const NllOptions same{options.weight, -1, kMean};
          expect_near(nll_loss(log_softmax(x, 1), t, same), {expected.total / expected.divisor},
                      "nll_loss");
        }
      }
    }
  }
}

TEST_P(CrossEntropyTest, ByProbability) {
  const Tensor x = tensor_of(some_values(12), {4, 3}, DType::f32, device_);
  Doubles wanted;
  for (int i = 0; i < 4; ++i) wanted.insert(wanted.end(), {0.5, 0.25, 0.25});
  wanted[0] = 1, wanted[1] = 0, wanted[2] = 0;
  const Doubles weights = {0.5, 2, 3};
  const Problem problem{4, 3, 1, values_of(x)};
  for (const double smoothing : {0.0, 0.3}) {
    Doubles losses;
    double total = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      double loss = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        loss -= weights[c] * problem.log_probability(i, c) *
                (wanted[3 * i + c] * (1 - smoothing) + smoothing / 3);
      }
      losses.push_back(loss);
      total += loss;
    }
    CrossEntropyOptions options{tensor_of(weights, {3}, DType::f32, device_), -100, smoothing,
                                kNone};
    const Tensor t = tensor_of(wanted, {4, 3}, DType::f32, device_);
    expect_near(cross_entropy(x, t, options), losses, "each");
    options.reduction = kMean;
    expect_near(cross_entropy(x, t, options), {total / 4}, "mean");
  }
}

TEST_P(CrossEntropyTest, WeightsOfClassesGetNoGradient) {
  const Tensor x = tensor_of(some_values(6), {2, 3}, DType::f32, device_).requires_grad_();
  const Tensor w = ones({3}, device_).requires_grad_();
  const Tensor t = from_host<std::int64_t>({2, 0}, {2}, device_);
  cross_entropy(x, t, {.weight = w, .label_smoothing = 0.2}).backward();
  EXPECT_TRUE(x.grad().defined());
  EXPECT_FALSE(w.grad().defined());
}

TEST_P(CrossEntropyTest, OfOneSample) {
  const Tensor x = tensor_of({0, 1, 2}, {3}, DType::f32, device_).requires_grad_();
  const Tensor loss = cross_entropy(x, from_host({std::int64_t{2}}, {}, device_));
  EXPECT_EQ(loss.rank(), 0);
  expect_near(loss, {0.4076059645}, "loss");
  loss.backward();
  expect_near(x.grad(), {0.0900305732, 0.2447284711, -0.3347590443}, "gradient");
}

/// An infinite loss of an ignored target is no part of the sum, and has no gradient.
TEST_P(CrossEntropyTest, IgnoredTargets) {
  const Tensor x = tensor_of({0, -INFINITY, 1, 0, 0.5, 0.25}, {3, 2}, DType::f32, device_);
  const Tensor leaf = x.clone().requires_grad_();
  const Tensor t = from_host<std::int64_t>({-100, 1, -100}, {3}, device_);
  const Tensor loss = cross_entropy(leaf, t);
  expect_near(loss, {1.3132616875}, "loss");
  loss.backward();
  expect_near(leaf.grad(), {0, 0, 0.7310585786, -0.7310585786, 0, 0}, "gradient");
  const Tensor none = from_host<std::int64_t>({-100, -100, -100}, {3}, device_);
  expect_near(cross_entropy(x, none), {NAN}, "the mean of no targets");
  expect_near(cross_entropy(x, none, {.reduction = kSum}), {0}, "the sum of no targets");
}

/// A class of weight 0 counts, and so does what is wrong with its samples.
TEST_P(CrossEntropyTest, TheWeightZeroHidesNothing) {
  const Tensor x = tensor_of({NAN, 1, 1, 2}, {2, 2}, DType::f32, device_);
  const Tensor t = from_host<std::int64_t>({0, 1}, {2}, device_);
  const Tensor weight = tensor_of({0, 1}, {2}, DType::f32, device_);
  for (const double smoothing : {0.0, 0.5}) {
    expect_near(cross_entropy(x, t, {.weight = weight, .label_smoothing = smoothing}), {NAN},
                "cross_entropy");
  }
  expect_near(nll_loss(x, t, {.weight = weight, .reduction = kNone}), {NAN, -2}, "nll_loss");
  const Tensor infinite = tensor_of({-INFINITY, 1, 1, 2}, {2, 2}, DType::f32, device_);
  expect_near(nll_loss(infinite, t, {.weight = weight, .reduction = kNone}), {NAN, -2}, "0 inf");
  // Of an ignored target the loss is 0 all the same, and the gradient is not.
  const Tensor leaf = x.clone().requires_grad_();
  const Tensor ignored = from_host<std::int64_t>({-100, 1}, {2}, device_);
  const Tensor loss = cross_entropy(leaf, ignored);
  expect_near(loss, {0.3132616875}, "loss");
  loss.backward();
  expect_near(leaf.grad(), {NAN, NAN, 0.2689414214, -0.2689414214}, "gradient");
}

TEST_P(CrossEntropyTest, Errors) {
  const Tensor x = zeros({2, 3}, device_), t = zeros({2}, {DType::i64, device_});
  EXPECT_ERROR(cross_entropy(x, zeros({3}, {DType::i64, device_})), kShapeMismatch,
               "[cross_entropy] target", "[2], that of input without the classes, got [3]");
  EXPECT_ERROR(cross_entropy(x, zeros({2}, {DType::u8, device_})), kDtypeMismatch,
               "[cross_entropy] target has the wrong dtype: expected i64 or i32, got u8");
  EXPECT_ERROR(cross_entropy(x, zeros({2}, device_)), kDtypeMismatch, "[cross_entropy] target",
               "i64 or i32 for numbers of classes, got f32 [2]. Write target.cast(DType::i64), or "
               "give a probability for each class, in input's shape [2, 3].");
  EXPECT_ERROR(cross_entropy(x, zeros({3}, device_)), kShapeMismatch,
               "[cross_entropy] target has the wrong shape: expected [2, 3] like input, got [3]");
  EXPECT_ERROR(cross_entropy(x, t, {.weight = zeros({2}, device_)}), kShapeMismatch,
               "[cross_entropy] weight has the wrong shape: expected [3], a number for each class");
  EXPECT_INVALID(cross_entropy(x, t, {.label_smoothing = 1.5}),
                 "[cross_entropy] bad label_smoothing: expected 0 to 1, got 1.5");
  EXPECT_ERROR(nll_loss(zeros({}, device_), t), kShapeMismatch,
               "[nll_loss] input has the wrong shape: expected [classes] or [n, classes, ...]");
  EXPECT_ERROR(nll_loss(t, t), kDtypeMismatch, "[nll_loss] is not defined for i64");
  EXPECT_ERROR(nll_loss(x, zeros({2}, {DType::i64, other_})), kDeviceMismatch,
               "[nll_loss] operands are on different devices");
  EXPECT_INVALID(cross_entropy(zeros({2, 0}, device_), t), "[cross_entropy] input has no classes",
                 "expected 1 or more in dimension 1, got 0 (input: f32 [2, 0]" + on_ +
                     "; target: i64 [2]" + on_);
  EXPECT_INVALID(cross_entropy(x, x, {.ignored_index = 1}), "[cross_entropy] ignored_index",
                 "expected -100, the default, got 1 (target: f32 [2, 3])");
}

/// The error names the loss and the position in the target. Devices that queue tell in validation.
TEST(CrossEntropyIndices, AnIndexThatIsNoClass) {
  const Device device = test_device("cpu:0");
  const Tensor x = zeros({2, 3}, device), weight = ones({3}, device);
  const Tensor t = from_host<std::int64_t>({0, 5}, {2}, device);
  const std::string text =
      "] index 5 at [1] is out of range: expected 0 to 2 for dimension 1, got 5 (cpu:0)";
  const auto refuses = [&](const std::string& loss, const auto& compute) {
    EXPECT_INVALID(compute(), "[" + loss + text);
  };
  for (const Tensor& w : {Tensor(), weight}) {
    refuses("nll_loss", [&] { return nll_loss(x, t, {.weight = w}); });
    refuses("nll_loss", [&] { return nll_loss(x, t.cast(DType::i32), {.weight = w}); });
    refuses("cross_entropy", [&] { return cross_entropy(x, t, {.weight = w}); });
    refuses("cross_entropy",
            [&] { return cross_entropy(x, t, {.weight = w, .label_smoothing = 0.5}); });
    const Tensor pixels = from_host<std::int64_t>({0, 1, 1, 7}, {2, 2}, device);
    EXPECT_INVALID(cross_entropy(zeros({2, 3, 2}, device), pixels, {.weight = w}),
                   "[cross_entropy] index 7 at [1, 1]", "expected 0 to 2 for dimension 1, got 7");
    EXPECT_INVALID(cross_entropy(weight, t[1], {.weight = w}), "[cross_entropy] index 5 at []",
                   "expected 0 to 2 for dimension 0");
  }
}

TEST(CrossEntropyIndices, AnIndexThatIsNoClassInValidation) {
  RuntimeOptions options = device_options();
  options.settings["validate"] = "1";
  const Device device = Runtime(options).device("fake:0");
  const Tensor x = zeros({2, 3}, device), t = from_host<std::int64_t>({0, 5}, {2}, device);
  const std::string text =
      "] index 5 at [1] is out of range: expected 0 to 2 for dimension 1, got 5 (index: i64 [2] on "
      "fake:0). Use indices that the dimension has.";
  EXPECT_INVALID(cross_entropy(x, t), "[cross_entropy" + text);
  EXPECT_INVALID(nll_loss(x, t, {.weight = ones({3}, device)}), "[nll_loss" + text);
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Derivatives of fused functions against finite differences in f64.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class FuseGradientsTest : public DeviceTest {
 protected:
  /// Each gradient at `points` (one vector an input) against central differences.
  void check(const char* what, const FusedFunction& f, std::vector<Doubles> points) const {
    const std::size_t n = points[0].size();
    const FusedFunction backward = f.gradients();
    ASSERT_EQ(backward.num_inputs(), f.num_inputs() + f.num_outputs()) << what;
    ASSERT_EQ(backward.num_outputs(), f.num_inputs()) << what;
    std::vector<Doubles> given = points;
    for (std::size_t o = 0; o < f.num_outputs(); ++o) given.emplace_back(n, 0.5 + 0.25 * double(o));
    const std::vector<Doubles> gradients = evaluate(backward, given);
    constexpr double kStep = 1e-6;
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::vector<Doubles> up = points, down = points;
      for (std::size_t k = 0; k < n; ++k) up[i][k] += kStep, down[i][k] -= kStep;
      const std::vector<Doubles> above = evaluate(f, up), below = evaluate(f, down);
      for (std::size_t k = 0; k < n; ++k) {
        double expected = 0;
        for (std::size_t o = 0; o < f.num_outputs(); ++o) {
          expected += (0.5 + 0.25 * double(o)) * (above[o][k] - below[o][k]) / (2 * kStep);
        }
        EXPECT_NEAR(gradients[i][k], expected, 1e-7 * (1 + std::fabs(expected)))
            << what << ", input " << i << " at " << points[i][k];
      }
    }
  }

  std::vector<Doubles> evaluate(const FusedFunction& f, const std::vector<Doubles>& points) const {
    std::vector<Tensor> tensors;
    for (const Doubles& values : points) {
      tensors.push_back(from_host(values, {static_cast<std::int64_t>(values.size())}, device_));
    }
    const std::vector<TensorOrScalar> arguments(tensors.begin(), tensors.end());
    std::vector<Doubles> results;
    for (const Tensor& result : f.call(arguments)) results.push_back(result.to_vector<double>());
    return results;
  }
};
PATCHBAY_ON_EACH_DEVICE(FuseGradientsTest);

const Doubles kPoints{-1.7, -0.6, -0.11, 0.13, 0.9, 2.3};
const Doubles kPositive{0.05, 0.4, 0.9, 1.0, 1.7, 5.0};
const Doubles kOthersPositive{0.3, 0.5, 0.9, 1.0, 1.7, 2.5};
const Doubles kOthers{0.8, -1.1, 1.9, -0.7, 0.31, 2.9};

/// Several operators a function: some devices compile for a second.
TEST_P(FuseGradientsTest, EachOperator) {
  check("neg, abs, square, exp, relu, erf",
        fuse([](Expression a) {
          return std::array{neg(a), abs(a), square(a), exp(a), relu(a), erf(a)};
        }).function(),
        {kPoints});
  check("sigmoid, tanh, gelu, clamp, pow",
        fuse([](Expression a) {
          return std::array{sigmoid(a),        tanh(a),   gelu(a),      clamp(a, -1, 1) * a,
                            clamp(a, 0.5) * a, pow(a, 2), pow(2, a) * a};
        }).function(),
        {kPoints});
  check("sqrt, log, rsqrt", fuse([](Expression a) {
                              return std::array{sqrt(a), log(a), rsqrt(a + 0.25)};
                            }).function(),
        {kPositive});
  check("add, sub, mul, div, maximum, minimum, where",
        fuse([](Expression a, Expression b) {
          return std::array{a + b,
                            a - b,
                            a * b,
                            a / b,
                            maximum(a, b),
                            minimum(a, b),
                            where(lt(a, 0.5), a * a, b * a)};
        }).function(),
        {kPoints, kOthers});
  check("pow", fuse([](Expression a, Expression b) { return pow(a, b); }).function(),
        {kOthersPositive, kOthers});
}

/// A formula may compare two numbers, which take the dtype of the result.
TEST_P(FuseGradientsTest, OfPowersByAnArgument) {
  const auto f = fuse([](Expression a, Expression n) { return pow(a, n * 2); });
  const Tensor a = full({3}, 3, device_), grad = full({3}, 2, device_);
  const std::vector<TensorOrScalar> arguments{a, 1, grad};
  for (const float gradient : f.gradients({0}).call(arguments)[0].to_vector<float>()) {
    EXPECT_NEAR(gradient, 12, 1e-5);
  }
}

TEST_P(FuseGradientsTest, ChainsAndSeveralOutputs) {
  check("chain", fuse([](Expression a, Expression b) {
                   const Expression shared = exp(a * b) + 1;
                   return log(shared) * a - b / shared;
                 }).function(),
        {kPoints, kOthers});
  check("two outputs", fuse([](Expression a, Expression b) {
                         const Expression product = a * b;
                         return std::array{product * product, product / (square(a) + 1)};
                       }).function(),
        {kPoints, kOthers});
}

TEST_P(FuseGradientsTest, SecondDerivatives) {
  const auto f = fuse([](Expression a, Expression b) { return exp(a) * square(b) / (b + 4); });
  check("of first ones", f.gradients(), {kPoints, kOthers, kPositive});
  const auto functions = fuse([](Expression a, Expression b) {
    return tanh(a) * sigmoid(b) + gelu(a) * erf(b) + rsqrt(square(a) + 1) * pow(square(b), 1.5);
  });
  check("of functions", functions.gradients(), {kPoints, kOthers, kPositive});
}

TEST_P(FuseGradientsTest, AtKinks) {
  const auto f = fuse([](Expression a, Expression b) {
    return std::array{maximum(a, b), minimum(a, b), abs(a), clamp(a, 0, 2), relu(a)};
  });
  const Tensor a = floats({0, 1, 2}), b = floats({0, 1, 3});
  const Tensor one = ones({3}, device_), zero = zeros({3}, device_);
  const auto gradient = [&](int output) {
    const Tensor incoming[] = {output == 0 ? one : zero, output == 1 ? one : zero,
                               output == 2 ? one : zero, output == 3 ? one : zero,
                               output == 4 ? one : zero};
    std::vector<TensorOrScalar> arguments{a, b};
    arguments.insert(arguments.end(), std::begin(incoming), std::end(incoming));
    return f.gradients({0}).call(arguments)[0].to_vector<float>();
  };
  EXPECT_EQ(gradient(0), Floats({0.5F, 0.5F, 0}));  // shared equally
  EXPECT_EQ(gradient(1), Floats({0.5F, 0.5F, 1}));
  EXPECT_EQ(gradient(2), Floats({0, 1, 1}));
  EXPECT_EQ(gradient(3), Floats({0, 1, 0}));  // 0 at the bounds
  EXPECT_EQ(gradient(4), Floats({0, 1, 1}));
}

TEST_P(FuseGradientsTest, OnlyWhatIsWanted) {
  const auto f = fuse([](Expression a, Expression b, Expression) { return a * b; }, "product");
  const Tensor a = full({2}, 3, device_), b = full({2}, 5, device_), grad = full({2}, 2, device_);
  const FusedFunction wanted = f.gradients({2, 1});
  EXPECT_EQ(wanted.name(), "product gradients");
  const std::vector<TensorOrScalar> arguments{a, b, a, grad};
  const std::vector<Tensor> results = wanted.call(arguments);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].to_vector<float>(), Floats(2, 0));  // nothing flows there
  EXPECT_EQ(results[1].to_vector<float>(), Floats(2, 6));
  EXPECT_INVALID(f.gradients({3}),
                 "[product] gradients: input 3 does not exist: expected less than 3");
}

TEST_P(FuseGradientsTest, ThroughCasts) {
  const auto f = fuse([](Expression a) {
    return a.cast(DType::f64) * 3 + a.cast(DType::i32).cast(DType::f64);  // steps have none
  });
  const Tensor a = full({4}, 1.5, device_), grad = full({4}, 2, {DType::f64, device_});
  const std::vector<TensorOrScalar> arguments{a, grad};
  const Tensor result = f.gradients().call(arguments)[0];
  EXPECT_EQ(result.dtype(), DType::f32);
  EXPECT_EQ(result.to_vector<float>(), Floats(4, 6));
}

TEST_P(FuseGradientsTest, OfBroadcastOperandsHaveTheBroadcastShape) {
  const auto f = fuse([](Expression a, Expression b) { return a * b; });
  const Tensor a = full({2, 3}, 3, device_), b = full({3}, 5, device_);
  const std::vector<TensorOrScalar> arguments{a, b, a};
  const std::vector<Tensor> results = f.gradients().call(arguments);
  EXPECT_EQ(results[1].shape(), Shape({2, 3}));
  EXPECT_EQ(sum(results[1], 0).to_vector<float>(), Floats(3, 18));
}

/// Inputs of dtypes without gradients, used more than once.
TEST_P(FuseGradientsTest, AreZeroForWhatHasNone) {
  const auto twice = fuse([](Expression mask, Expression x) {
    const Expression chosen = where(mask, mask, mask);
    return mask.cast(DType::f32) * x + mask.cast(DType::f32) + chosen.cast(DType::f32);
  });
  const Tensor x = full({2}, 3, device_), grad = full({2}, 2, device_);
  for (const DType dtype : {DType::boolean, DType::i8, DType::i16, DType::u16, DType::u32,
                            DType::u64, DType::i32, DType::u8}) {
    const auto sums = fuse(
        [](Expression a, Expression b) { return a.cast(DType::f32) * b + a.cast(DType::f32); });
    const std::vector<TensorOrScalar> arguments{ones({2}, {dtype, device_}), x, grad};
    const FusedFunction& function = dtype == DType::boolean ? twice.function() : sums.function();
    const std::vector<Tensor> got = function.gradients().call(arguments);
    EXPECT_EQ(got[0].dtype(), dtype);
    EXPECT_EQ(got[0].cast(DType::f32).to_vector<float>(), Floats(2, 0));
    EXPECT_EQ(got[1].to_vector<float>(), Floats(2, 2)) << to_string(dtype);
  }
  // The formula of maximum has a half, which integers lack.
  const auto larger = fuse([](Expression a, Expression b) {
    return maximum(a, b).cast(DType::f32) + maximum(b, a).cast(DType::f32);
  });
  const Tensor counts = ones({2}, {DType::i32, device_});
  const std::vector<TensorOrScalar> arguments{counts, counts, grad};
  for (const Tensor& got : larger.gradients().call(arguments)) {
    EXPECT_EQ(got.cast(DType::f32).to_vector<float>(), Floats(2, 0));
  }
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Gradients of extremes where one is NaN: it counts as the result that it is.
#include <random>

#include "support/device_test.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

class NanTest : public DeviceTest {
 protected:
  /// Of sum(weights * function(x)), x of shape [rows, 4].
  template <class Function>
  Floats gradient(const Floats& values, Function function, const Floats& weights,
                  DType dtype = DType::f32) const {
    const auto rows = static_cast<std::int64_t>(values.size() / 4);
    const Tensor x = from_host(values, {rows, 4}, device_).cast(dtype).requires_grad_();
    const Tensor result = function(x);
    result.backward(from_host(weights, result.shape(), device_).cast(dtype));
    return x.grad().cast(DType::f32).to_vector<float>();
  }
};
PATCHBAY_ON_EACH_DEVICE(NanTest);

TEST_P(NanTest, ExtremesGiveTheirGradientToTheNans) {
  const Floats values{1, NAN, 3, 3, 5, 5, 2, 1, NAN, 7, NAN, 8}, weights{8, 6, 4};
  const auto highest = [](const Tensor& x) { return max(x, 1); };
  const auto lowest = [](const Tensor& x) { return min(x, 1); };
  EXPECT_EQ(gradient(values, highest, weights), (Floats{0, 8, 0, 0, 3, 3, 0, 0, 2, 0, 2, 0}));
  EXPECT_EQ(gradient(values, lowest, weights), (Floats{0, 8, 0, 0, 0, 0, 0, 6, 2, 0, 2, 0}));
  const auto highest_of_all = [](const Tensor& x) { return max(x); };
  EXPECT_EQ(gradient(values, highest_of_all, {6}), (Floats{0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0}));
  const auto kept = [](const Tensor& x) { return max(x, 0, true); };
  EXPECT_EQ(gradient({NAN, 1, 2, 3, 4, 5, 2, NAN}, kept, {1, 2, 4, 8}),
            (Floats{1, 0, 2, 0, 0, 2, 2, 8}));
}

/// Of a magnitude the sign comes in, and as for abs that of a NaN is 0.
TEST_P(NanTest, MagnitudesKeepTheirSigns) {
  const auto magnitude = [](const Tensor& x) { return norm(x, INFINITY, 1); };
  EXPECT_EQ(gradient({1, NAN, -3, 3, -5, 5, 2, 1, -INFINITY, 7, 0, 8}, magnitude, {8, 6, 4}),
            (Floats{0, 0, 0, 0, -3, 3, 0, 0, -4, 0, 0, 0}));
  EXPECT_EQ(gradient({NAN, 1, 2, 3}, [](const Tensor& x) { return sum(abs(x)); }, {2}),
            (Floats{0, 2, 2, 2}));
}

/// The squares of the operands would overflow or underflow. At (0, 0) PyTorch gives 0, too.
TEST_P(NanTest, TheGradientOfAtan2NeedsNoSquares) {
  const auto gradients_at = [this](auto y, auto x) {
    const Tensor a = from_host(std::vector{y}, {1}, device_).requires_grad_();
    const Tensor b = from_host(std::vector{x}, {1}, device_).requires_grad_();
    sum(atan2(a, b)).backward();
    return std::vector{a.grad().item<double>(), b.grad().item<double>()};
  };
  EXPECT_EQ(gradients_at(0.0F, 0.0F), (Doubles{0, 0}));
  EXPECT_EQ(gradients_at(-0.0F, 0.0F), (Doubles{0, 0}));
  EXPECT_EQ(gradients_at(0.0F, -2.0F), (Doubles{-0.5, 0}));
  EXPECT_EQ(gradients_at(INFINITY, 1.0F)[0], 0);
  EXPECT_TRUE(std::isnan(gradients_at(NAN, 1.0F)[0]));
  EXPECT_TRUE(std::isnan(gradients_at(1.0F, NAN)[1]));
  const auto expect_near = [](const Doubles& got, double a, double b) {
    EXPECT_NEAR(got[0], a, 1e-6 * std::abs(a));
    EXPECT_NEAR(got[1], b, 1e-6 * std::abs(b));
  };
  expect_near(gradients_at(3.0F, 4.0F), 0.16, -0.12);
  expect_near(gradients_at(1e25F, -1e25F), -5e-26, -5e-26);
  expect_near(gradients_at(1e-30F, 1e-30F), 5e29, -5e29);
  if (!device_.properties().f64) return;
  expect_near(gradients_at(1e-200, 1e-200), 5e199, -5e199);
  expect_near(gradients_at(3e200, 4e200), 4.0 / 25 * 1e-200, -3.0 / 25 * 1e-200);
}

/// An error shows in every gradient before it, as in PyTorch.
TEST_P(NanTest, PassesThroughRelu) {
  const Floats values{NAN, -1, 2, 0}, weights{4, 5, 6, 7}, expected{4, 0, 6, 0};
  EXPECT_EQ(gradient(
                values, [](const Tensor& x) { return relu(x); }, weights),
            expected);
  const auto layer = [&](const Tensor& x) {
    return linear(x, full({1, 1}, 1, device_), full({1}, 0, device_), Activation::kRelu);
  };
  const auto as_rows = [&](const Tensor& x) { return layer(x.reshape({4, 1})).reshape({1, 4}); };
  EXPECT_EQ(gradient(values, as_rows, weights), expected);
}

TEST_P(NanTest, InfinitiesAreOrdinaryExtremes) {
  EXPECT_EQ(gradient({INFINITY, 1, INFINITY, 3}, [](const Tensor& x) { return max(x, 1); }, {8}),
            (Floats{4, 0, 4, 0}));
  EXPECT_EQ(gradient({-INFINITY, -INFINITY, -INFINITY, -INFINITY},
                     [](const Tensor& x) { return max(x, 1); }, {8}),
            Floats(4, 2));
}

/// 16-bit floats can't count that far.
TEST_P(NanTest, ManyEqualElementsShareOfEveryDtype) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    if (!why_unsupported(device_, fill_spec(dtype)).empty()) continue;
    constexpr std::int64_t kCount = std::int64_t{1} << 17;
    const Tensor x = zeros({kCount}, {dtype, device_}).requires_grad_();
    max(x).backward(full({}, 4096, {dtype, device_}));
    EXPECT_EQ(x.grad().cast(DType::f32).slice(0, 0, 3).to_vector<float>(), Floats(3, 0.03125F))
        << to_string(dtype);
  }
}

// ------------------------------------------------------------------
// Derivatives of functions with a jump, a kink or a side that overflows.

using Function = std::function<Tensor(const Tensor&)>;

class Jumps : public DeviceTest {
 protected:
  Floats gradient(const Function& function, const Floats& at) const {
    const Tensor x = leaf(at);
    sum(function(x)).backward();
    return x.grad().to_vector<float>();
  }
  Floats second(const Function& function, const Floats& at) const {
    const Tensor x = leaf(at);
    const Tensor first = gradients({sum(function(x))}, {x}, {}, {.create_graph = true})[0];
    return gradients({sum(first)}, {x})[0].to_vector<float>();
  }
};
PATCHBAY_ON_EACH_DEVICE(Jumps);

/// The gradient of b is the whole number that the value has: a - out over b.
TEST_P(Jumps, RemainderHasOneQuotient) {
  std::mt19937 engine(1);
  std::uniform_int_distribution<int> draw(-60, 60);
  Floats dividends = {1, -1, 0.7F, 5, -1e-9F}, divisors = {0.1F, 0.1F, 0.1F, -0.1F, 1};
  while (dividends.size() < 2000) {
    const int divisor = draw(engine);
    if (divisor == 0) continue;
    dividends.push_back(static_cast<float>(draw(engine)) / 10);
    divisors.push_back(static_cast<float>(divisor) / 10);
  }
  const Tensor a = leaf(dividends), b = leaf(divisors), rest = remainder(a, b);
  sum(rest).backward();
  const Floats found = b.grad().to_vector<float>(), rests = rest.to_vector<float>();
  EXPECT_EQ(found[0], -9);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double quotient =
        (static_cast<double>(dividends[i]) - static_cast<double>(rests[i])) / divisors[i];
    ASSERT_EQ(found[i], -std::round(quotient)) << dividends[i] << " by " << divisors[i];
  }
  EXPECT_EQ(a.grad().to_vector<float>(), Floats(found.size(), 1));
}

TEST_P(Jumps, AtTheBoundsOfClampThereIsNoGradient) {
  const Floats at = {-2, -1, -0.5F, 1, 2, NAN};
  const auto both = [](const Tensor& x) { return clamp(x, -1, 1); };
  EXPECT_EQ(gradient(both, at), (Floats{0, 0, 1, 0, 0, 0}));
  const float infinity = std::numeric_limits<float>::infinity();
  const auto low = [](const Tensor& x) { return clamp(x, -1); };
  EXPECT_EQ(gradient(low, {-infinity, -1, 5, infinity}), (Floats{0, 0, 1, 1}));
}

/// Both sides of a choice are computed, also where only one is right.
TEST_P(Jumps, TheOtherSideMayOverflow) {
  const Floats at = {-200, -1, 0.5F, 88, 89, 100, 1e30F};
  const auto smooth = [](const Tensor& x) { return elu(x, 1.5); };
  const Floats first = gradient(smooth, at), next = second(smooth, at);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double slope = at[i] > 0 ? 1 : 1.5 * std::exp(at[i]);
    EXPECT_NEAR(first[i], slope, 1e-6) << at[i];
    EXPECT_NEAR(next[i], at[i] > 0 ? 0 : slope, 1e-6) << at[i];
  }
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reductions: edges, options and errors. tests/operators compares every dtype, layout and set of
// axes with references.
#include <array>
#include <span>
#include <type_traits>

#include "support/device_test.h"

namespace patchbay::test {
namespace {
using Indices = std::vector<std::int64_t>;

// A bool is no axis, no order and no correction; neither is a floating-point number an axis.
template <class Axis>
concept IsAnAxis = requires(Tensor t, Axis axis) {
  sum(t, axis);
}
|| requires(Tensor t, Axis axis) { mean(t, axis); }
|| requires(Tensor t, Axis axis) { max(t, axis); }
|| requires(Tensor t, Axis axis) { min(t, axis); }
|| requires(Tensor t, Axis axis) { argmax(t, axis); }
|| requires(Tensor t, Axis axis) { argmin(t, axis); }
|| requires(Tensor t, Axis axis) { sum_squares(t, axis); }
|| requires(Tensor t, Axis axis) { var(t, axis); }
|| requires(Tensor t, Axis axis) { stddev(t, axis); }
|| requires(Tensor t, Axis axis) { norm(t, 2, axis); };
static_assert(IsAnAxis<int> && IsAnAxis<std::int64_t> && IsAnAxis<std::size_t>);
static_assert(!IsAnAxis<bool> && !IsAnAxis<float> && !IsAnAxis<double> && !IsAnAxis<Scalar>);
template <class T>
concept TakesABool = requires(T t) {
  var(t, 1, true);
}
|| requires(T t) { stddev(t, 1, true); }
|| requires(T t) { var(t, 1, true, true); }
|| requires(T t) { norm(t, true); }
|| requires(T t) { norm(t, true, 0, true); }
|| requires(T t) { sum(t, {true, false}); }
|| requires(T t) { sum(t, {true}); };
static_assert(!TakesABool<Tensor>);

PATCHBAY_DEVICE_TESTS(ReduceTest);

TEST_P(ReduceTest, NanWins) {
  const Tensor t = floats({1, NAN, 0, NAN, 5});
  EXPECT_TRUE(std::isnan(min(t).item<float>()));
  EXPECT_TRUE(std::isnan(max(t).item<float>()));
  EXPECT_TRUE(std::isnan(sum(t).item<float>()));
  EXPECT_EQ(argmin(t).item<std::int64_t>(), 1);
  EXPECT_EQ(argmax(t).item<std::int64_t>(), 1);
}

TEST_P(ReduceTest, KeepLeavesExtentsOfOne) {
  const Tensor t = arange(0.0, 6, 1, device_).view({2, 3});
  EXPECT_EQ(sum(t, 1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(sum(t, {}, true).shape(), (Shape{1, 1}));
  EXPECT_EQ(sum(t).shape(), Shape{});
  EXPECT_EQ(argmax(t, 0, true).shape(), (Shape{1, 3}));
  EXPECT_EQ((t - max(t, 1, true)).to_vector<float>(), (Floats{-2, -1, 0, -2, -1, 0}));
  EXPECT_EQ(sum(t, {0, -1}).item<float>(), 15);
}

TEST_P(ReduceTest, SumsOfBoolsCount) {
  const Tensor t = from_host({true, false, true, true}, {2, 2}, device_);
  EXPECT_EQ(sum(t).item<std::int64_t>(), 3);
  EXPECT_EQ(sum(t, 0).to_vector<std::int64_t>(), (Indices{2, 1}));
}

TEST_P(ReduceTest, MeansAndNorms) {
  const Tensor t = from_host({3.0F, -4.0F, 0.0F, 12.0F}, {2, 2}, device_);
  EXPECT_EQ(mean(t, 1).to_vector<float>(), (Floats{-0.5, 6}));
  EXPECT_EQ(norm(t).item<float>(), 13);
  EXPECT_EQ(norm(t, 2, 1).to_vector<float>(), (Floats{5, 12}));
  EXPECT_EQ(norm(t, 1).item<float>(), 19);
  EXPECT_EQ(norm(t.t(), INFINITY, 0, true).to_vector<float>(), (Floats{4, 12}));
  EXPECT_EQ(norm(t.cast(DType::f64), INFINITY).item<double>(), 12);
  EXPECT_INVALID(norm(t, 3), "[norm]", "1, 2 or infinity, got 3");
}

TEST_P(ReduceTest, VariancesAndTheirRoots) {
  const Tensor t = from_host({1.0F, 2.0F, 3.0F, 4.0F, -1.0F, 1.0F, -1.0F, 1.0F}, {2, 4}, device_);
  EXPECT_EQ(var(t, 1, 0).to_vector<float>(), (Floats{1.25, 1}));
  EXPECT_EQ(var(t, 1, 0, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(var(t, 1, std::int64_t{0}).to_vector<float>(), (Floats{1.25, 1}));
  static_assert(!TakesABool<Tensor>, "written like the other reductions, it would be a correction");
  EXPECT_NEAR(var(t, 1).to_vector<float>()[0], 5.0 / 3, 1e-6);
  EXPECT_EQ(stddev(t, 1, 0).to_vector<float>()[1], 1);
  EXPECT_EQ(var(t.t(), 0, 2).to_vector<float>(), (Floats{2.5, 2}));
  EXPECT_EQ(var(t.cast(DType::f64), {}, 0).item<double>(), 2.6875);
  EXPECT_TRUE(std::isnan(var(t[0].slice(0, 0, 1)).item<float>()));
  EXPECT_TRUE(std::isnan(var(zeros({0}, device_)).item<float>()));
  EXPECT_EQ(var(zeros({0, 3}, device_), 1).shape(), Shape{0});
  EXPECT_ERROR(var(t.cast(DType::i32)), kDtypeMismatch, "[var] is not defined for i32");
  const std::string t_text = "f32 [2, 4]" + on_;
  EXPECT_INVALID(stddev(t, 2),
                 "[stddev] dimension 2 is out of range: expected -2 to 1 for rank 2, got 2 (a: " +
                     t_text + "). Use a dimension that the tensor has.");
  EXPECT_INVALID(stddev(t, {0, 0}), "[stddev] axis 0", "each axis once, got [0, 0] (a: " + t_text);
  EXPECT_INVALID(var(t, 2), "[var] dimension 2");
  const Tensor x = t.clone().requires_grad_(), root = sum(stddev(x, 1));
  inside(NoGrad(), [&] { x.fill_(0); });
  EXPECT_INVALID(root.backward(), "[backward] a of stddev", "it as it was when stddev read it");
  if (!device_.properties().f16) return;  // else the errors show what was given
  const Tensor half = t.cast(DType::f16);
  for (const auto& [name, call] : std::vector<std::pair<std::string, std::function<Tensor()>>>{
           {"var", [&] { return var(half, 2); }},
           {"stddev", [&] { return stddev(half, 2); }},
           {"mean", [&] { return mean(half, 2); }},
           {"norm", [&] { return norm(half, 2, 2); }}}) {
    EXPECT_INVALID(
        call(), "[" + name + "] dimension 2 is out of range: expected -2 to 1 for rank 2, got 2 " +
                    "(a: f16 [2, 4]" + on_ + ")");
  }
}

/// The squares of these lie beyond the digits of f32, and their mean is not among the f32.
TEST_P(ReduceTest, ALargeMeanCostsAVarianceNoDigits) {
  Floats values(4001);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1e6F + 0.0625F * static_cast<float>(i % 3);
  }
  double mean_of_all = 0, squares = 0;
  for (const float x : values) mean_of_all += static_cast<double>(x) / 4001;
  for (const float x : values)
    squares += (static_cast<double>(x) - mean_of_all) * (static_cast<double>(x) - mean_of_all);
  const Tensor t = from_host(values, {4001}, device_);
  EXPECT_NEAR(var(t).item<float>() / (squares / 4000), 1, 1e-5);
  EXPECT_NEAR(stddev(t).item<float>() / std::sqrt(squares / 4000), 1, 1e-5);
}

TEST_P(ReduceTest, AVarianceMayBeInfinite) {
  for (const double most : {1e30, 1e200, double{INFINITY}}) {
    const bool is_f64 = most > 1e38 && most < INFINITY;
    Doubles values(40, 1);
    values[5] = most;
    const Tensor t = from_host(values, {40}, device_).cast(is_f64 ? DType::f64 : DType::f32);
    const double got = var(t).cast(DType::f64).item<double>();
    EXPECT_TRUE(std::isinf(most) ? std::isnan(got) : got == INFINITY) << most << ": " << got;
  }
}

TEST_P(ReduceTest, Traces) {
  const Tensor t = arange(0, 12, 1, {DType::i32, device_}).view({3, 4});
  EXPECT_EQ(trace(t).item<std::int64_t>(), 15);
  EXPECT_EQ(trace(t.t().cast(DType::f32)).item<float>(), 15);
  EXPECT_EQ(trace(zeros({0, 3}, device_)).item<float>(), 0);
  EXPECT_ERROR(trace(t[0]), kShapeMismatch, "[trace] not a matrix: expected rank 2, got 1");
}

TEST_P(ReduceTest, OneElementAndScalars) {
  const Tensor t = full({}, -3, device_);
  EXPECT_EQ(sum(t).item<float>(), -3);
  EXPECT_EQ(sum_squares(t).item<float>(), 9);
  EXPECT_EQ(argmax(t).item<std::int64_t>(), 0);
  EXPECT_EQ(norm(t.view({1, 1}), 1, 0).to_vector<float>(), Floats{3});
}

TEST_P(ReduceTest, LongSumsStayExact) {
  // Each partial sum up to 2^24 is exact in f32, in whatever order.
  const Tensor t = ones({1 << 20}, device_);
  EXPECT_EQ(sum(t).item<float>(), 1 << 20);
  EXPECT_EQ(sum(t.view({1 << 10, 1 << 10}), 0).to_vector<float>(), Floats(1 << 10, 1 << 10));
}

TEST_P(ReduceTest, EmptyTensors) {
  const Tensor none = zeros({2, 0}, device_);
  EXPECT_EQ(sum(none).item<float>(), 0);
  EXPECT_EQ(sum(none, 1).to_vector<float>(), (Floats{0, 0}));
  EXPECT_EQ(sum(none, 0).shape(), Shape{0});
  EXPECT_EQ(min(none, 0).shape(), Shape{0});
  EXPECT_TRUE(std::isnan(mean(none).item<float>()));
  EXPECT_EQ(norm(none).item<float>(), 0);
  EXPECT_INVALID(min(none), "[min]",
                 "expected at least one element along the axes, got shape [2, 0]");
  EXPECT_INVALID(argmax(none, 1), "[argmax] nothing");
  EXPECT_INVALID(norm(none, INFINITY), "[norm]");
}

TEST_P(ReduceTest, AxesAreAnyRangeOfIntegers) {
  const Tensor t = ones({2, 3, 4}, device_);
  const std::vector<int> numbers = {0, -1};
  const std::array<std::int64_t, 2> wide = {0, 2};
  EXPECT_EQ(sum(t, numbers).to_vector<float>(), (std::vector<float>{8, 8, 8}));
  EXPECT_EQ(sum(t, std::span(numbers), true).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(sum(t, wide).shape(), Shape{3});
  EXPECT_EQ(sum(t, std::vector<int>()).item<float>(), 24);
  EXPECT_EQ(mean(t, Shape{1, 2}).shape(), Shape{2});
  EXPECT_INVALID(sum(t, std::vector{std::int64_t{1} << 40}), "[sum] dimension 2147483647");
  static_assert(!std::is_convertible_v<std::vector<double>, Axes>);
  static_assert(!std::is_convertible_v<std::vector<bool>, Axes>);
  static_assert(!std::is_convertible_v<bool, Axes>);
}

TEST_P(ReduceTest, AxesAreChecked) {
  const Tensor t = zeros({2, 3}, device_);
  EXPECT_INVALID(sum(t, 2), "[sum] dimension 2", "-2 to 1 for rank 2, got 2 (a: f32 [2, 3]" + on_);
  EXPECT_INVALID(sum(t, {0, -2}), "[sum] axis -2 is named twice");
  EXPECT_INVALID(argmin(t, {0, 1}), "[argmin] too many axes");
  EXPECT_INVALID(mean(t, -3), "[mean] dimension -3");
}

}  // namespace
}  // namespace patchbay::test

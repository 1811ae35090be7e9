// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elementwise operations: edges, literals and broadcasting. tests/operators compares every dtype
// and layout with references.
#include "support/device_test.h"
#include "support/layout.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(OpsTest);

/// Bits, so that NaN equals NaN.
template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& expected,
                 const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != got[i] && expected[i] != expected[i]) continue;
    ASSERT_EQ(got[i], expected[i]) << what << " at " << i;
  }
}

TEST_P(OpsTest, IntegersWrapAroundAndDivideByZeroToZero) {
  const Tensor t = from_host({INT32_MAX, INT32_MIN, 7}, {3}, device_);
  EXPECT_EQ((t + 1).to_vector<std::int32_t>(), (Ints{INT32_MIN, INT32_MIN + 1, 8}));
  EXPECT_EQ((t / 0).to_vector<std::int32_t>(), Ints(3, 0));
  EXPECT_EQ((t / -2).to_vector<std::int32_t>(), (Ints{INT32_MAX / -2, INT32_MIN / -2, -3}));
  EXPECT_EQ(div(t, -1).slice(0, 1).to_vector<std::int32_t>(), (Ints{INT32_MIN, -7}));
  EXPECT_EQ(abs(t).to_vector<std::int32_t>(), (Ints{INT32_MAX, INT32_MIN, 7}));
}

TEST_P(OpsTest, NanPropagates) {
  const Tensor a = floats({NAN, 1, NAN}), b = floats({1, NAN, NAN});
  for (const Tensor& result : {maximum(a, b), minimum(a, b), a + b}) {
    for (const float value : result.to_vector<float>()) EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_EQ(eq(a, a).to_vector<bool>(), (Bools{false, true, false}));
  EXPECT_EQ(ne(a, a).to_vector<bool>(), (Bools{true, false, true}));
  EXPECT_EQ(lt(a, b).to_vector<bool>(), (Bools(3, false)));
  EXPECT_EQ(ge(a, b).to_vector<bool>(), (Bools(3, false)));
}

TEST_P(OpsTest, ComparisonsWithLiterals) {
  const Tensor t = floats({1, 2, 3});
  EXPECT_EQ(lt(t, 2).to_vector<bool>(), (Bools{true, false, false}));
  EXPECT_EQ(lt(2, t).to_vector<bool>(), (Bools{false, false, true}));
  const Tensor out = zeros({3}, {DType::boolean, device_});
  EXPECT_EQ(ge_out(out, t, 2).to_vector<bool>(), (Bools{false, true, true}));
}

TEST_P(OpsTest, Logic) {
  const Tensor a = from_host({true, true, false, false}, {4}, device_);
  const Tensor b = from_host({true, false, true, false}, {4}, device_);
  EXPECT_EQ(logical_and(a, b).to_vector<bool>(), (Bools{true, false, false, false}));
  EXPECT_EQ(logical_or(a, b).to_vector<bool>(), (Bools{true, true, true, false}));
  EXPECT_EQ(logical_and(true, a).to_vector<bool>(), a.to_vector<bool>());
  EXPECT_EQ(logical_or(a, true).to_vector<bool>(), Bools(4, true));
  EXPECT_EQ(logical_not(a).to_vector<bool>(), (Bools{false, false, true, true}));
}

TEST_P(OpsTest, Broadcasting) {
  const Shape shapes[][2] = {{{4, 5}, {5}},       {{5}, {4, 5}},          {{4, 1}, {1, 5}},
                             {{2, 1, 5}, {4, 1}}, {{}, {3, 2}},           {{3, 2}, {1, 1}},
                             {{1}, {2, 3, 4}},    {{3, 1, 1}, {3, 1, 6}}, {{2, 0}, {1}}};
  for (const auto& [left, right] : shapes) {
    const Floats a = small_values<float>(count_of(left), 7);
    const Floats b = small_values<float>(count_of(right), 8);
    const Tensor x = from_host(a, left, device_), y = from_host(b, right, device_), result = x - y;
    const Tensor wide_x = x.expand(result.shape()).clone();
    const Tensor wide_y = y.expand(result.shape()).clone();
    const Floats first = wide_x.to_vector<float>(), second = wide_y.to_vector<float>();
    Floats expected;
    for (std::size_t i = 0; i < first.size(); ++i) expected.push_back(first[i] - second[i]);
    expect_same(result.to_vector<float>(), expected, to_string(left) + " and " + to_string(right));
  }
  EXPECT_EQ((ones({4, 1}, device_) + ones({1, 5}, device_)).shape(), (Shape{4, 5}));
}

TEST_P(OpsTest, ExpandedOperandsAndEightDimensions) {
  const Tensor row = floats({1, 2, 3}).expand({2, 3});
  EXPECT_EQ((row + row.contiguous()).to_vector<float>(), (Floats{2, 4, 6, 2, 4, 6}));
  const Tensor t = arange(0.0, 256, 1, device_).view({2, 2, 2, 2, 2, 2, 2, 2});
  const Tensor turned = t.permute({7, 5, 3, 1, 0, 2, 4, 6});
  expect_same((turned + turned.clone()).to_vector<float>(), (turned * 2).to_vector<float>(), "8d");
}

TEST_P(OpsTest, LiteralsOnEitherSideIntoAnOutput) {
  const Tensor t = floats({1, 2, 4}), out = empty({3}, device_);
  EXPECT_EQ(sub_out(out, t, 1).to_vector<float>(), (Floats{0, 1, 3}));
  EXPECT_EQ(sub_out(out, 1, t).to_vector<float>(), (Floats{0, -1, -3}));
  EXPECT_EQ(div_out(t, 1, t).to_vector<float>(), (Floats{1, 0.5F, 0.25F}));
}

TEST_P(OpsTest, LiteralsOnEitherSide) {
  const Tensor t = floats({1, 2, 4});
  EXPECT_EQ((1 - t).to_vector<float>(), (Floats{0, -1, -3}));
  EXPECT_EQ((t - 1).to_vector<float>(), (Floats{0, 1, 3}));
  EXPECT_EQ((8 / t).to_vector<float>(), (Floats{8, 4, 2}));
  EXPECT_EQ((-t * 0.5).to_vector<float>(), (Floats{-0.5, -1, -2}));
  EXPECT_EQ(maximum(t, 2).to_vector<float>(), (Floats{2, 2, 4}));
  t += 1;
  t *= t;
  EXPECT_EQ(t.to_vector<float>(), (Floats{4, 9, 25}));
}

template <class T>
void check_whole_numbers(const Device& device) {
  std::vector<T> x, exps, logs;
  for (int i = 1; i <= 20; ++i) {
    x.push_back(static_cast<T>(i));
    exps.push_back(std::exp(x.back()));
    logs.push_back(std::log(x.back()));
  }
  const Tensor a = from_host(x, {20}, device);
  const auto got = exp(a).template to_vector<T>(), got_logs = log(a).template to_vector<T>();
  constexpr double kBound = 2 * double{std::numeric_limits<T>::epsilon()};
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(double{got[i]}, double{exps[i]}, kBound * double{exps[i]}) << x[i];
    EXPECT_NEAR(double{got_logs[i]}, double{logs[i]}, kBound * double{logs[i]}) << x[i];
  }
}

/// Closer than the bounds of the records.
TEST_P(OpsTest, ExpAndLogOfSmallWholeNumbers) {
  check_whole_numbers<float>(device_);
  check_whole_numbers<double>(device_);
}

TEST_P(OpsTest, EdgesOfFunctions) {
  const Tensor t = floats({0, -1, INFINITY, -INFINITY, NAN});
  expect_same(sqrt(t).to_vector<float>(), {0, NAN, INFINITY, NAN, NAN}, "sqrt");
  expect_same(exp(t).slice(0, 2).to_vector<float>(), {INFINITY, 0, NAN}, "exp");
  expect_same(log(t).to_vector<float>(), {-INFINITY, NAN, INFINITY, NAN, NAN}, "log");
  expect_same(abs(t).to_vector<float>(), {0, 1, INFINITY, INFINITY, NAN}, "abs");
}

TEST_P(OpsTest, EmptyTensorsGiveEmptyResults) {
  const Tensor none = zeros({0, 3}, device_);
  EXPECT_EQ((none + none).shape(), (Shape{0, 3}));
  EXPECT_EQ((none + ones({3}, device_)).shape(), (Shape{0, 3}));
  EXPECT_EQ(lt(none, 1).dtype(), DType::boolean);
  EXPECT_EQ(exp(none).num_elements(), 0);
  none += 1;
}

}  // namespace
}  // namespace patchbay::test

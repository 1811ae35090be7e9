// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elementwise operations against plain loops, in every layout.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <patchbay/ops.h>

#include "support/device_test.h"
#include "support/layout.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;
using Bools = std::vector<bool>;

class OpsTest : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(OpsTest);

template <class T>
using Function = T (*)(T, T);
using Operation = Tensor (*)(const Tensor&, const Tensor&);
using OutOperation = const Tensor& (*)(const Tensor&, const Tensor&, const Tensor&);

/// Signed overflow is undefined in C++, so integers wrap around by way of 64 unsigned bits.
template <class T>
T wrapped(std::uint64_t bits) {
  return static_cast<T>(bits);
}
template <class T>
T plus(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return wrapped<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
template <class T>
T minus(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a - b;
  else
    return wrapped<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
template <class T>
T times(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return wrapped<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
template <class T>
T divided(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a / b;
  else
    return b == 0 ? T{0} : static_cast<T>(a / b);
}
template <class T>
T larger(T a, T b) {
  return a > b ? a : b;
}
template <class T>
T smaller(T a, T b) {
  return a < b ? a : b;
}

template <class T>
std::vector<T> loop(Function<T> f, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = f(a[i], b[i]);
  return result;
}

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

template <class T>
void check_binary(const Device& device, const char* name, Operation op, OutOperation out_op,
                  Function<T> f) {
  for (const Shape& shape : {Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 3, 33}}) {
    const auto a = small_values<T>(count_of(shape), 1), b = small_values<T>(count_of(shape), 2);
    const std::vector<T> expected = loop(f, a, b);
    for (const Layout left : kLayouts) {
      for (const Layout right : kLayouts) {
        const Tensor x = laid_out(left, a, shape, device), y = laid_out(right, b, shape, device);
        const std::string what = std::string(name) + " " + to_string(shape);
        expect_same(op(x, y).to_vector<T>(), expected, what);
        const Tensor out = empty_in(right, shape, dtype_of<T>(), device);
        expect_same(out_op(out, x, y).to_vector<T>(), expected, what + " out");
        expect_same(out_op(x, x, y).to_vector<T>(), expected, what + " in place");
      }
    }
  }
}

template <class T>
void check_arithmetic(const Device& device) {
  check_binary<T>(device, "add", add, add_out, plus<T>);
  check_binary<T>(device, "sub", sub, sub_out, minus<T>);
  check_binary<T>(device, "mul", mul, mul_out, times<T>);
  check_binary<T>(device, "div", div, div_out, divided<T>);
  check_binary<T>(device, "maximum", maximum, maximum_out, larger<T>);
  check_binary<T>(device, "minimum", minimum, minimum_out, smaller<T>);
}

TEST_P(OpsTest, ArithmeticOfF32) { check_arithmetic<float>(device_); }
TEST_P(OpsTest, ArithmeticOfF64) { check_arithmetic<double>(device_); }
TEST_P(OpsTest, ArithmeticOfI32) { check_arithmetic<std::int32_t>(device_); }
TEST_P(OpsTest, ArithmeticOfI64) { check_arithmetic<std::int64_t>(device_); }
TEST_P(OpsTest, ArithmeticOfU8) { check_arithmetic<std::uint8_t>(device_); }

TEST_P(OpsTest, IntegersWrapAroundAndDivideByZeroToZero) {
  const Tensor t = from_host({INT32_MAX, INT32_MIN, 7}, {3}, device_);
  EXPECT_EQ((t + 1).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{INT32_MIN, INT32_MIN + 1, 8}));
  EXPECT_EQ((t / 0).to_vector<std::int32_t>(), std::vector<std::int32_t>(3, 0));
  EXPECT_EQ((t / -2).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{INT32_MAX / -2, INT32_MIN / -2, -3}));
  EXPECT_EQ(div(t, -1).slice(0, 1).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{INT32_MIN, -7}));
  EXPECT_EQ(abs(t).to_vector<std::int32_t>(), (std::vector<std::int32_t>{INT32_MAX, INT32_MIN, 7}));
}

TEST_P(OpsTest, NanPropagates) {
  const Tensor a = from_host({NAN, 1.0F, NAN}, {3}, device_);
  const Tensor b = from_host({1.0F, NAN, NAN}, {3}, device_);
  for (const Tensor& result : {maximum(a, b), minimum(a, b), a + b}) {
    for (const float value : result.to_vector<float>()) EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_EQ(eq(a, a).to_vector<bool>(), (Bools{false, true, false}));
  EXPECT_EQ(ne(a, a).to_vector<bool>(), (Bools{true, false, true}));
  EXPECT_EQ(lt(a, b).to_vector<bool>(), (Bools(3, false)));
  EXPECT_EQ(ge(a, b).to_vector<bool>(), (Bools(3, false)));
}

template <class T>
void check_comparisons(const Device& device) {
  const auto a = small_values<T>(105, 5, -2, 2), b = small_values<T>(105, 6, -2, 2);
  const auto expect = [&](const Tensor& got, auto compare) {
    Bools expected;
    for (std::size_t i = 0; i < a.size(); ++i) expected.push_back(compare(a[i], b[i]));
    EXPECT_EQ(got.dtype(), DType::boolean);
    EXPECT_EQ(got.to_vector<bool>(), expected);
  };
  for (const Layout layout : kLayouts) {
    const Tensor x = laid_out(layout, a, {15, 7}, device), y = laid_out(layout, b, {15, 7}, device);
    expect(eq(x, y), std::equal_to<T>());
    expect(ne(x, y), std::not_equal_to<T>());
    expect(lt(x, y), std::less<T>());
    expect(le(x, y), std::less_equal<T>());
    expect(gt(x, y), std::greater<T>());
    expect(ge(x, y), std::greater_equal<T>());
  }
}

TEST_P(OpsTest, ComparisonsOfEveryDtype) {
  check_comparisons<float>(device_);
  check_comparisons<double>(device_);
  check_comparisons<std::int32_t>(device_);
  check_comparisons<std::int64_t>(device_);
  check_comparisons<std::uint8_t>(device_);
  check_comparisons<bool>(device_);
}

TEST_P(OpsTest, ComparisonsWithLiterals) {
  const Tensor t = from_host({1.0F, 2.0F, 3.0F}, {3}, device_);
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
    const Tensor x = from_host(a, left, device_), y = from_host(b, right, device_);
    const Tensor result = x - y;
    const Tensor wide_x = x.expand(result.shape()).clone();
    const Tensor wide_y = y.expand(result.shape()).clone();
    expect_same(result.to_vector<float>(),
                loop(minus<float>, wide_x.to_vector<float>(), wide_y.to_vector<float>()),
                to_string(left) + " and " + to_string(right));
  }
  EXPECT_EQ((ones({4, 1}, device_) + ones({1, 5}, device_)).shape(), (Shape{4, 5}));
}

TEST_P(OpsTest, ExpandedOperandsAndEightDimensions) {
  const Tensor row = from_host({1.0F, 2.0F, 3.0F}, {3}, device_).expand({2, 3});
  EXPECT_EQ((row + row.contiguous()).to_vector<float>(), (Floats{2, 4, 6, 2, 4, 6}));
  const Tensor t = arange(0.0, 256, 1, device_).view({2, 2, 2, 2, 2, 2, 2, 2});
  const Tensor turned = t.permute({7, 5, 3, 1, 0, 2, 4, 6});
  expect_same((turned + turned.clone()).to_vector<float>(), (turned * 2).to_vector<float>(), "8d");
}

TEST_P(OpsTest, LiteralsOnEitherSideIntoAnOutput) {
  const Tensor t = from_host<float>({1, 2, 4}, {3}, device_), out = empty({3}, device_);
  EXPECT_EQ(sub_out(out, t, 1).to_vector<float>(), (std::vector<float>{0, 1, 3}));
  EXPECT_EQ(sub_out(out, 1, t).to_vector<float>(), (std::vector<float>{0, -1, -3}));
  EXPECT_EQ(div_out(t, 1, t).to_vector<float>(), (std::vector<float>{1, 0.5F, 0.25F}));
}

TEST_P(OpsTest, LiteralsOnEitherSide) {
  const Tensor t = from_host({1.0F, 2.0F, 4.0F}, {3}, device_);
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
void check_unary(const Device& device, Tensor (*op)(const Tensor&),
                 const Tensor& (*out_op)(const Tensor&, const Tensor&), T (*f)(T), double bound) {
  const auto values = small_values<T>(66, 9, 1, 20);
  for (const Layout layout : kLayouts) {
    const Tensor t = laid_out(layout, values, {2, 33}, device);
    const auto got = op(t).to_vector<T>();
    const Tensor out = empty_in(layout, {2, 33}, dtype_of<T>(), device);
    out_op(out, t);
    const std::vector<T> into = out.to_vector<T>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto expected = static_cast<double>(f(values[i]));
      EXPECT_NEAR(static_cast<double>(got[i]), expected, bound * std::abs(expected)) << layout;
      EXPECT_EQ(got[i], into[i]) << layout;
    }
  }
}

template <class T>
T negated(T x) {
  return minus<T>(0, x);
}
template <class T>
T squared(T x) {
  return times<T>(x, x);
}
template <class T>
T magnitude(T x) {
  return x < T{0} ? negated(x) : x;
}

template <class T>
void check_signs(const Device& device) {
  check_unary<T>(device, neg, neg_out, negated<T>, 0);
  check_unary<T>(device, abs, abs_out, magnitude<T>, 0);
  check_unary<T>(device, square, square_out, squared<T>, 0);
}

TEST_P(OpsTest, UnaryOfNumbers) {
  check_signs<float>(device_);
  check_signs<double>(device_);
  check_signs<std::int32_t>(device_);
  check_signs<std::int64_t>(device_);
  check_signs<std::uint8_t>(device_);
}

template <class T>
void check_functions(const Device& device) {
  constexpr double kUlp = std::numeric_limits<T>::epsilon();
  check_unary<T>(
      device, sqrt, sqrt_out, [](T x) -> T { return std::sqrt(x); }, 0);
  check_unary<T>(
      device, exp, exp_out, [](T x) -> T { return std::exp(x); }, 2 * kUlp);
  check_unary<T>(
      device, log, log_out, [](T x) -> T { return std::log(x); }, 2 * kUlp);
}

TEST_P(OpsTest, UnaryOfFloats) {
  check_functions<float>(device_);
  check_functions<double>(device_);
}

TEST_P(OpsTest, EdgesOfFunctions) {
  const Tensor t = from_host({0.0F, -1.0F, INFINITY, -INFINITY, NAN}, {5}, device_);
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

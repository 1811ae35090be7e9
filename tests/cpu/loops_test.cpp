// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The CPU plugin's loops where they branch: tiles, streamed stores, columns, special values.
#include <cmath>
#include <limits>

#include "support/cpu_runtime.h"

namespace patchbay::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class CpuLoops : public testing::Test {
 protected:
  Device device() const { return runtime_.device("cpu"); }
  Tensor numbers(const Shape& shape, DType dtype) const {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return arange(0, count, 1, {DType::i64, device()}).cast(dtype).view(shape);
  }

  const Runtime runtime_ = cpu_runtime({{"cpu_threads", "2"}});
};

TEST_F(CpuLoops, TransposedTilesOfEveryElementSize) {
  for (const DType dtype : {DType::f32, DType::f64, DType::u8}) {
    const Tensor a = numbers({3, 70, 150}, dtype), b = numbers({3, 150, 70}, dtype);
    const Tensor sum_of_both = a + b.transpose(1, 2);
    const auto got = sum_of_both.cast(DType::i64).to_vector<std::int64_t>();
    std::size_t at = 0;
    for (std::int64_t plane = 0; plane < 3; ++plane) {
      for (std::int64_t row = 0; row < 70; ++row) {
        for (std::int64_t column = 0; column < 150; ++column) {
          const std::int64_t x = plane * 10500 + row * 150 + column;
          const std::int64_t y = plane * 10500 + column * 70 + row;
          const std::int64_t expected = dtype == DType::u8 ? (x + y) % 256 : x + y;
          ASSERT_EQ(got[at++], expected) << row << ' ' << column;
        }
      }
    }
  }
}

TEST_F(CpuLoops, OutputsLargerThanTheCache) {
  constexpr std::int64_t kCount = (36 << 20) + 13;
  const Tensor a = full({kCount + 1}, 2, {DType::u8, device()}).slice(0, 1);
  const Tensor out = zeros({kCount + 1}, {DType::u8, device()}).slice(0, 1);
  add_out(out, a, a);
  EXPECT_EQ(sum(out).item<std::int64_t>(), 4 * kCount);
  add_out(out, out, 1);
  EXPECT_EQ(sum(out).item<std::int64_t>(), 5 * kCount);
}

TEST_F(CpuLoops, ColumnsOfEveryWidth) {
  for (const std::int64_t width : {1, 3, 4, 15, 31, 64, 127, 128, 129, 300}) {
    for (const std::int64_t height : {1, 2, 31, 33, 100, 2048, 2049, 5000}) {
      const Tensor a = numbers({height, width}, DType::i32);
      const auto sums = sum(a, 0).to_vector<std::int64_t>();
      const auto last = argmax(a, 0).to_vector<std::int64_t>();
      const auto floats = sum(a.cast(DType::f64), 0).to_vector<double>();
      for (std::int64_t i = 0; i < width; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::int64_t expected = height * i + width * (height * (height - 1) / 2);
        ASSERT_EQ(sums[at], expected) << width << ' ' << height;
        ASSERT_EQ(floats[at], static_cast<double>(expected)) << width << ' ' << height;
        ASSERT_EQ(last[at], height - 1) << width << ' ' << height;
      }
    }
  }
}

TEST_F(CpuLoops, ExtremesTakeTheFirstNanAndTheLowestIndex) {
  std::vector<float> values(5000, 1);
  values[4000] = values[4001] = -2;
  const auto tensor = [&] { return from_host(values, {5000}, device()); };
  EXPECT_EQ(argmin(tensor()).item<std::int64_t>(), 4000);
  EXPECT_EQ(argmax(tensor()).item<std::int64_t>(), 0);
  values[3000] = values[4500] = kNan;
  for (const Tensor& t : {tensor(), tensor().view({1, 5000}).t()}) {
    EXPECT_EQ(argmin(t).item<std::int64_t>(), 3000);
    EXPECT_EQ(argmax(t).item<std::int64_t>(), 3000);
    EXPECT_TRUE(std::isnan(min(t).item<float>()));
    EXPECT_TRUE(std::isnan(max(t).item<float>()));
  }
}

/// In units in the last place of the exact result.
double error_ulps(float got, long double exact) {
  const float nearest = static_cast<float>(exact);
  if (std::isinf(nearest) || std::isnan(nearest) || nearest == got) return 0;
  const double unit =
      static_cast<double>(std::nextafter(std::fabs(nearest), kInfinity) - std::fabs(nearest));
  return std::fabs(static_cast<double>(got) - static_cast<double>(exact)) / unit;
}

TEST_F(CpuLoops, ExpAndLogAreAccurate) {
  std::vector<float> x;
  for (float value = -103; value < 88; value += 0.00371F) x.push_back(value);
  const auto exps = exp(from_host(x, {static_cast<std::int64_t>(x.size())}, device()));
  const auto got = exps.to_vector<float>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_LT(error_ulps(got[i], std::exp(static_cast<long double>(x[i]))), 2) << x[i];
  }
  for (float& value : x) value = std::exp2(value * 1.4F);
  const auto logs = log(from_host(x, {static_cast<std::int64_t>(x.size())}, device()));
  const auto got_logs = logs.to_vector<float>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_LT(error_ulps(got_logs[i], std::log(static_cast<long double>(x[i]))), 2) << x[i];
  }
}

/// Tighter than the records, whose bounds hold for every device's library. The worst that was found
/// over all exponents: 1.5 rsqrt, 2.4 sigmoid, 2.4 tanh, 5.5 erf (6.7 without fused multiplications),
/// 6.1 gelu, 0.51 pow.
TEST_F(CpuLoops, FunctionsOfF32AreAccurate) {
  std::vector<float> x;
  for (float value = -12.8F; value < 13; value += 0.00071F) x.push_back(value);
  const Tensor t = from_host(x, {static_cast<std::int64_t>(x.size())}, device());
  const auto check = [&](double bound, const Tensor& got, long double (*exact)(long double)) {
    const auto values = got.to_vector<float>();
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LT(error_ulps(values[i], exact(x[i])), bound) << x[i];
  };
  check(1.6, rsqrt(abs(t)), [](long double v) { return 1 / std::sqrt(std::fabs(v)); });
  check(3, sigmoid(t), [](long double v) { return 1 / (1 + std::exp(-v)); });
  check(3, tanh(t), [](long double v) { return std::tanh(v); });
  check(7, erf(t), [](long double v) { return std::erf(v); });
  check(6.5, gelu(t), [](long double v) { return v / 2 * std::erfc(-v / std::sqrt(2.0L)); });
  check(1, pow(abs(t), 3.3F),
        [](long double v) { return std::pow(std::fabs(v), static_cast<long double>(3.3F)); });
  check(1, pow(1.7F, t), [](long double v) { return std::pow(static_cast<long double>(1.7F), v); });
}

/// The worst that was found in samples of all exponents, f32 and f64, is a little below these
/// bounds.
template <class T>
void check_companions(const Device& device) {
  std::vector<T> x;
  for (double value = -30.7; value < 31; value += 0.0071) x.push_back(static_cast<T>(value));
  const Tensor t = from_host(x, {static_cast<std::int64_t>(x.size())}, device);
  const auto check = [&](double bound, const Tensor& got, long double (*exact)(long double)) {
    const auto values = got.to_vector<T>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double wanted = exact(x[i]);
      const T nearest = static_cast<T>(wanted);
      const T unit = std::nextafter(std::fabs(nearest), std::numeric_limits<T>::infinity()) -
                     std::fabs(nearest);
      ASSERT_LE(std::fabs(values[i] - wanted), bound * unit) << x[i];
    }
  };
  check(1.7, sin(t), std::sin);
  check(1.7, cos(t), std::cos);
  check(3, tan(t), std::tan);
  check(1.5, exp2(t), std::exp2);
  check(3, expm1(t), std::expm1);
  check(1, log1p(abs(t)), [](long double v) { return std::log1p(std::fabs(v)); });
  check(1.5, log2(abs(t)), [](long double v) { return std::log2(std::fabs(v)); });
}

TEST_F(CpuLoops, CompanionsAreAccurate) {
  check_companions<float>(device());
  check_companions<double>(device());
}

/// A tile with one angle that needs the slow path has the same bits as tiles without, also where
/// the result replaces the operand.
TEST_F(CpuLoops, LargeAnglesAmongOthers) {
  std::vector<float> x(5000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.37F - 900;
  const Tensor alone = from_host(x, {5000}, device());
  const auto expected = sin(alone).to_vector<float>();
  x[3000] = 1e30F, x[4999] = kNan;
  const Tensor mixed = from_host(x, {5000}, device());
  sin_out(mixed, mixed);
  const auto got = mixed.to_vector<float>();
  for (std::size_t i = 0; i < 4999; ++i) {
    if (i != 3000) {
      ASSERT_EQ(got[i], expected[i]) << i;
    }
  }
  EXPECT_FLOAT_EQ(got[3000], static_cast<float>(std::sin(static_cast<long double>(1e30F))));
  EXPECT_TRUE(std::isnan(got[4999]));
}

TEST_F(CpuLoops, RemaindersOfLargeQuotientsAmongOthers) {
  std::vector<double> a(3000), b(3000, 0.7);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i) * 1.9 - 2500;
  a[1500] = 1e300, b[7] = 0, a[8] = -0.0;
  const Tensor x = from_host(a, {3000}, device());
  remainder_out(x, x, from_host(b, {3000}, device()));
  const auto got = x.to_vector<double>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double rest = std::fmod(a[i], b[i]);
    const double expected = rest < 0 ? rest + b[i] : rest;
    ASSERT_TRUE(got[i] == expected || (std::isnan(got[i]) && std::isnan(expected))) << i;
  }
}

TEST_F(CpuLoops, FunctionsBelowTheNormalRange) {
  const Tensor x = from_host({-88.0F, -95.0F, -103.0F, -110.0F}, {4}, device());
  const auto s = sigmoid(x).to_vector<float>();
  for (std::size_t i = 0; i < 4; ++i) {
    const float exact = std::exp(x.to_vector<float>()[i]);
    EXPECT_NEAR(s[i], exact, 3 * std::numeric_limits<float>::denorm_min() + 3e-7F * exact);
  }
  EXPECT_GT(s[2], 0);
  EXPECT_EQ(s[3], 0);
  const auto p = pow(x, -21).to_vector<float>();
  EXPECT_NEAR(p[0], std::pow(-88.0, -21), std::numeric_limits<float>::denorm_min());
  EXPECT_LT(p[0], 0);
}

TEST_F(CpuLoops, ExpAndLogOfSpecialValues) {
  const Tensor x =
      from_host({kNan, kInfinity, -kInfinity, 0.0F, -0.0F, -1.0F, 100.0F, -200.0F}, {8}, device());
  const auto e = exp(x).to_vector<float>();
  EXPECT_TRUE(std::isnan(e[0]));
  EXPECT_EQ(e[1], kInfinity);
  EXPECT_EQ(e[2], 0);
  EXPECT_EQ(e[3], 1);
  EXPECT_EQ(e[6], kInfinity);
  EXPECT_EQ(e[7], 0);
  const auto l = log(x).to_vector<float>();
  EXPECT_TRUE(std::isnan(l[0]));
  EXPECT_EQ(l[1], kInfinity);
  EXPECT_TRUE(std::isnan(l[2]));
  EXPECT_EQ(l[3], -kInfinity);
  EXPECT_EQ(l[4], -kInfinity);
  EXPECT_TRUE(std::isnan(l[5]));
}

TEST_F(CpuLoops, FloatsSaturateToIntegers) {
  const Tensor x = from_host(
      {kNan, kInfinity, -kInfinity, 3e9F, -3e9F, 255.9F, -0.9F, 2147483520.0F}, {8}, device());
  EXPECT_EQ(x.cast(DType::i32).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{0, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, 255, 0,
                                       2147483520}));
  EXPECT_EQ(x.cast(DType::u8).to_vector<std::uint8_t>(),
            (std::vector<std::uint8_t>{0, 255, 0, 255, 0, 255, 0, 255}));
}

TEST_F(CpuLoops, IntegersWrapAndDivideWithoutFaults) {
  const Tensor a = from_host({INT32_MIN, INT32_MIN, 7, -7, INT32_MAX}, {5}, device());
  const Tensor b = from_host({-1, 0, 0, 2, 1}, {5}, device());
  EXPECT_EQ(div(a, b).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{INT32_MIN, 0, 0, -3, INT32_MAX}));
  EXPECT_EQ(add(a, b).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{INT32_MAX, INT32_MIN, 7, -5, INT32_MIN}));
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Edges of the companions of exp, tanh and relu: large angles, quadrants, remainders, steps.
#include "support/device_test.h"
#include "tensor/ops/functions.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(CompanionsTest);

TEST_P(CompanionsTest, OfTheSmallestNumbers) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  if (device_.properties().f64) {
    const Tensor y = from_host<double>({tiny, 3 * tiny, -tiny, 1e-300}, {4}, device_);
    const Tensor x = from_host<double>({tiny, 4 * tiny, tiny, 1e-300}, {4}, device_);
    const Doubles angles = atan2(y, x).to_vector<double>();
    const double exact[] = {std::atan2(1.0, 1.0), std::atan2(3.0, 4.0), std::atan2(-1.0, 1.0),
                            std::atan2(1.0, 1.0)};
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(angles[static_cast<std::size_t>(i)], exact[i], 1e-15);
  }
  const Floats zeros = tanh(floats({-0.0F, 0.0F})).to_vector<float>();
  EXPECT_TRUE(std::signbit(zeros[0]));
  EXPECT_FALSE(std::signbit(zeros[1]));
}

struct Angles {
  const char* name;
  Tensor (*compute)(const Tensor&);
  Exact (*exact)(Exact);
};
constexpr Angles kAngles[] = {
    {"sin", sin, std::sin}, {"cos", cos, std::cos}, {"tan", tan, std::tan}};

/// Angles that are near multiples of pi / 2, and large ones.
template <class T>
void check_angles(const Device& device) {
  std::vector<T> x = {T(1e5), T(-1e6), T(1000001), T(1e22), T(-1e30), std::numeric_limits<T>::max(),
                      std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min(), T(-1e-9),
                      // The worst cases for f32 and f64: Muller, Elementary Functions, 11.
                      T(std::ldexp(16367173.0, 72)), T(6381956970095103.0)};
  if constexpr (sizeof(T) == 8) {
    // Not 5.319372648326541e+255, the double nearest to a multiple of pi / 2: the C library, which
    // the kernel executor calls, is 8 units off there.
    for (const double one : {1e300, -1e200}) x.push_back(one);
  }
  for (int n = 1; n < 700000; n += n / 3 + 1) x.push_back(static_cast<T>(n * 1.5707963267948966L));
  const Tensor t = from_host(x, {static_cast<std::int64_t>(x.size())}, device);
  for (const Angles& one : kAngles) {
    const auto got = one.compute(t).template to_vector<T>();
    const double bound = find_operator(one.name).bound.of(dtype_of<T>());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_LE(error_ulps(got[i], one.exact(x[i])), bound) << one.name << ' ' << x[i];
    }
  }
}

TEST_P(CompanionsTest, SinCosAndTanOfAnyAngle) {
  check_angles<float>(device_);
  if (device_.properties().f64) check_angles<double>(device_);
}

template <class T>
void check_atan2(const Device& device) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity(), kMost = std::numeric_limits<T>::max();
  std::vector<T> values = {T(0),
                           T(-0.0),
                           kInfinity,
                           -kInfinity,
                           kMost,
                           -kMost,
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::quiet_NaN()};
  for (const T value : values_between<T>(-3, 3, 120)) values.push_back(value);
  const auto n = static_cast<std::int64_t>(values.size());
  const Tensor t = from_host(values, {n}, device);
  const auto got = atan2(t.unsqueeze(1), t).template to_vector<T>();
  const double bound = find_operator("atan2").bound.of(dtype_of<T>());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const T y = values[i / values.size()], x = values[i % values.size()];
    const Exact exact = std::atan2(Exact{y}, Exact{x});
    EXPECT_LE(error_ulps(got[i], exact), bound) << y << ' ' << x;
    if (std::isnan(exact)) continue;
    EXPECT_EQ(std::signbit(got[i]), std::signbit(exact)) << y << ' ' << x;
  }
}

TEST_P(CompanionsTest, Atan2OfAllQuadrants) {
  check_atan2<float>(device_);
  if (device_.properties().f64) check_atan2<double>(device_);
}

TEST_P(CompanionsTest, RemaindersAreExact) {
  const Floats a = {7, -7, 7, -7, 1e30F, -1e30F, 3e38F, 5.5F, -1, 1, 6, -6, 0, INFINITY, 1, NAN};
  const Floats b = {3, 3, -3, -3, 3, 7, 1e-40F, 0.1F, INFINITY, -INFINITY, 3, 3, 2, 3, 0, 1};
  Floats expected;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double rest = std::fmod(double{a[i]}, double{b[i]});
    expected.push_back(
        static_cast<float>(rest != 0 && (rest < 0) != (b[i] < 0) ? rest + b[i] : rest));
  }
  const Tensor x = from_host(a, {16}, device_), y = from_host(b, {16}, device_);
  const Floats got = remainder(x, y).to_vector<float>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << a[i] << ' ' << b[i];
    } else {
      EXPECT_EQ(got[i], expected[i]) << a[i] << ' ' << b[i];
    }
  }
  const Tensor i = from_host({7, -7, 7, -7, 5, INT32_MIN, -9}, {7}, device_);
  const Tensor j = from_host({3, 3, -3, -3, 0, -1, 3}, {7}, device_);
  EXPECT_EQ(remainder(i, j).to_vector<std::int32_t>(), (Ints{1, 2, -2, -1, 0, 0, 0}));
  EXPECT_EQ(
      remainder(from_host<std::uint8_t>({200, 255, 9}, {3}, device_), 7).to_vector<std::uint8_t>(),
      (Bytes{4, 3, 2}));
}

TEST_P(CompanionsTest, SteepnessAndSlopeMayBeLeftOut) {
  const Tensor t = floats({-2, 0, 3});
  expect_values(leaky_relu(t), {-0.02F, 0, 3});
  expect_values(leaky_relu(t, 0.5), {-1, 0, 3});
  expect_values(elu(t), {-0.86466472F, 0, 3});
  expect_values(elu(t, 2), {-1.7293294F, 0, 3});
  const auto fused = fuse([](Expression x) { return leaky_relu(x) + elu(x); });
  expect_values(fused(t), {-0.88466472F, 0, 6});
  const Tensor out = empty({3}, device_);
  expect_values(leaky_relu_out(out, t), {-0.02F, 0, 3});
  expect_values(elu_out(out, t), {-0.86466472F, 0, 3});
}

TEST_P(CompanionsTest, StepsAndTestsOfEdges) {
  const Tensor t = floats({-0.0F, 0.5F, 1.5F, 2.5F, -2.5F, INFINITY, -INFINITY, NAN});
  expect_values(round(t), {0, 0, 2, 2, -2, INFINITY, -INFINITY, NAN});
  expect_values(floor(t), {0, 0, 1, 2, -3, INFINITY, -INFINITY, NAN});
  expect_values(ceil(t), {0, 1, 2, 3, -2, INFINITY, -INFINITY, NAN});
  expect_values(trunc(t), {0, 0, 1, 2, -2, INFINITY, -INFINITY, NAN});
  expect_values(sign(t), {0, 1, 1, 1, -1, 1, -1, 0});
  EXPECT_EQ(isnan(t).cast(DType::u8).to_vector<std::uint8_t>(), (Bytes{0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(isinf(t).cast(DType::u8).to_vector<std::uint8_t>(), (Bytes{0, 0, 0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(isfinite(t).cast(DType::u8).to_vector<std::uint8_t>(), (Bytes{1, 1, 1, 1, 1, 0, 0, 0}));
}

/// Also where the incoming gradient is infinite.
TEST_P(CompanionsTest, StepsHaveAGradientOfZero) {
  const Tensor t = leaf({-1.5F, 0.25F, NAN});
  floor(t).backward(floats({INFINITY, 2, 1}));
  expect_values(t.grad(), {0, 0, 0});
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Functions of floats: bits in every layout, edges, limits and powers. tests/operators holds them
// to the bounds of their records.
#include "tensor/ops/functions.h"

#include "support/device_test.h"
#include "support/layout.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(FunctionsTest);

struct Subject {
  const char* name;
  Tensor (*compute)(const Tensor&);
  const Tensor& (*compute_into)(const Tensor&, const Tensor&);
};
constexpr Subject kSubjects[] = {{"rsqrt", rsqrt, rsqrt_out}, {"sigmoid", sigmoid, sigmoid_out},
                                 {"tanh", tanh, tanh_out},    {"erf", erf, erf_out},
                                 {"gelu", gelu, gelu_out},    {"sin", sin, sin_out},
                                 {"cos", cos, cos_out},       {"tan", tan, tan_out},
                                 {"exp2", exp2, exp2_out},    {"expm1", expm1, expm1_out},
                                 {"log1p", log1p, log1p_out}, {"log2", log2, log2_out},
                                 {"silu", silu, silu_out},    {"softplus", softplus, softplus_out},
                                 {"sqrt", sqrt, sqrt_out},    {"exp", exp, exp_out},
                                 {"log", log, log_out}};

/// The bits of an element do not depend on its place.
template <class T>
void check_bits(const Device& device) {
  const auto x = values_between<T>(0.25, 4, 66);
  for (const Subject& subject : kSubjects) {
    const auto bits = [](const Tensor& a) { return a.template to_vector<T>(); };
    const std::vector<T> expected = bits(subject.compute(from_host(x, {2, 33}, device)));
    for (const Layout layout : kLayouts) {
      const Tensor t = laid_out(layout, x, {2, 33}, device);
      EXPECT_EQ(bits(subject.compute(t)), expected) << subject.name << ' ' << layout;
      const Tensor out = empty_in(layout, {2, 33}, dtype_of<T>(), device);
      EXPECT_EQ(bits(subject.compute_into(out, t)), expected) << subject.name;
      EXPECT_EQ(bits(subject.compute_into(t, t)), expected) << subject.name;
    }
    EXPECT_EQ(subject.compute(zeros({0, 3}, {dtype_of<T>(), device})).shape(), (Shape{0, 3}));
    const Tensor one = full({}, x[5], {dtype_of<T>(), device});
    EXPECT_EQ(subject.compute(one).template item<T>(), expected[5]) << subject.name;
  }
}

TEST_P(FunctionsTest, EveryLayoutGivesTheSameBits) {
  check_bits<float>(device_);
  check_bits<double>(device_);
}

TEST_P(FunctionsTest, Edges) {
  const Tensor t = floats({0, 1e4F, -1e4F, INFINITY, -INFINITY, NAN});
  expect_values(rsqrt(t), {INFINITY, 0.01F, NAN, 0, NAN, NAN});
  expect_values(sigmoid(t), {0.5F, 1, 0, 1, 0, NAN});
  expect_values(tanh(t), {0, 1, -1, 1, -1, NAN});
  expect_values(erf(t), {0, 1, -1, 1, -1, NAN});
  expect_values(gelu(t).slice(0, 0, 4), {0, 1e4F, 0, INFINITY});
  expect_values(relu(t), {0, 1e4F, 0, INFINITY, 0, NAN});
  expect_values(exp2(t), {1, INFINITY, 0, INFINITY, 0, NAN});
  expect_values(expm1(t), {0, INFINITY, -1, INFINITY, -1, NAN});
  expect_values(log1p(t), {0, 9.2104404F, NAN, INFINITY, NAN, NAN});
  expect_values(log2(t), {-INFINITY, 13.287712F, NAN, INFINITY, NAN, NAN});
  expect_values(softplus(t), {0.69314718F, 1e4F, 0, INFINITY, 0, NAN});
  expect_values(silu(t), {0, 1e4F, 0, INFINITY, NAN, NAN});
  for (const auto& infinite : {sin(t), cos(t), tan(t)}) {
    EXPECT_TRUE(std::isnan(infinite[3].item<float>()) && std::isnan(infinite[4].item<float>()));
  }
}

/// Far from 0 they are their limits: what is made of them, such as 1 - tanh^2, is exactly 0.
TEST_P(FunctionsTest, ReachTheirLimits) {
  struct Limit {
    const char* name;
    Tensor (*of)(const Tensor&);
    Expression (*fused)(const Expression&);
    double from, below, above;  // from that size on
  };
  constexpr Limit kLimits[] = {
      {"tanh", tanh, tanh, 9.5, -1, 1},         {"erf", erf, erf, 4.5, -1, 1},
      {"sigmoid", sigmoid, sigmoid, 120, 0, 1}, {"expm1", expm1, expm1, 100, -1, INFINITY},
      {"exp", exp, exp, 120, 0, INFINITY},      {"exp2", exp2, exp2, 160, 0, INFINITY}};
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    if (dtype == DType::f16 && !device_.properties().f16) continue;
    if (dtype == DType::bf16 && !device_.properties().bf16) continue;
    for (const Limit& limit : kLimits) {
      Floats sizes, expected;
      for (const double factor : {1.0, 1.1, 2.0, 7.0, 100.0}) {
        for (const double sign : {-1.0, 1.0}) {
          sizes.push_back(static_cast<float>(sign * factor * limit.from));
          expected.push_back(static_cast<float>(sign < 0 ? limit.below : limit.above));
        }
      }
      sizes.insert(sizes.end(), {-INFINITY, INFINITY});
      expected.insert(expected.end(),
                      {static_cast<float>(limit.below), static_cast<float>(limit.above)});
      const Tensor x = from_host(sizes, {12}, device_).cast(dtype);
      const auto values = [](const Tensor& a) { return a.cast(DType::f32).to_vector<float>(); };
      EXPECT_EQ(values(limit.of(x)), expected) << limit.name << " of " << to_string(dtype);
      const Tensor spread = x.view({12, 1}).expand({12, 3}).contiguous();
      EXPECT_EQ(values(limit.of(spread.slice(1, 1, 2).reshape({12}))), expected) << limit.name;
      const auto fused =
          fuse([&](const Expression& a) { return limit.fused(a) + limit.fused(a) * 0; });
      if (limit.above != 1) continue;  // infinity times 0
      EXPECT_EQ(values(fused(x)), expected) << "fused " << limit.name;
    }
  }
}

TEST_P(FunctionsTest, ReluOfEveryNumber) {
  EXPECT_EQ(relu(from_host({-3, 0, INT32_MAX, INT32_MIN}, {4}, device_)).to_vector<std::int32_t>(),
            (Ints{0, 0, INT32_MAX, 0}));
  EXPECT_EQ(relu(from_host<std::int64_t>({-3, 5}, {2}, device_)).to_vector<std::int64_t>(),
            (Longs{0, 5}));
  EXPECT_EQ(relu(from_host<std::uint8_t>({0, 255}, {2}, device_)).to_vector<std::uint8_t>(),
            (Bytes{0, 255}));
  EXPECT_EQ(relu(from_host({-2.5, 2.5}, {2}, device_)).to_vector<double>(), (Doubles{0, 2.5}));
}

template <class T>
void check_powers(const Device& device) {
  const double bound = find_operator("pow").bound.of(dtype_of<T>());
  std::vector<T> a, b;
  for (const double base : values_between<double>(0.01, 9, 101)) {
    for (const double exponent : values_between<double>(-12, 12, 49)) {
      a.push_back(static_cast<T>(base));
      b.push_back(static_cast<T>(exponent));
    }
  }
  for (const double base : values_between<double>(-9, -0.01, 61)) {
    for (int exponent = -9; exponent <= 9; ++exponent) {
      a.push_back(static_cast<T>(base));
      b.push_back(static_cast<T>(exponent));
    }
  }
  const Shape shape{static_cast<std::int64_t>(a.size())};
  const auto got =
      pow(from_host(a, shape, device), from_host(b, shape, device)).template to_vector<T>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_LE(error_ulps(got[i], std::pow(Exact{a[i]}, Exact{b[i]})), bound)
        << a[i] << " to the " << b[i];
  }
}

TEST_P(FunctionsTest, PowersAreWithinTheirBound) {
  check_powers<float>(device_);
  check_powers<double>(device_);
}

/// IEEE 754-2019, 9.2.1, in f32 and f64: the host's pow is that.
template <class T>
void check_special_powers(const Device& device) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> specials = {0, -T{0}, 1,   -1,        0.5,        -0.5, 2,   -2,
                                   3, -3,    2.5, kInfinity, -kInfinity, kNan, 1e6, 1000001};
  std::vector<T> a, b;
  for (const T base : specials) {
    for (const T exponent : specials) {
      a.push_back(base);
      b.push_back(exponent);
    }
  }
  const Shape shape{static_cast<std::int64_t>(a.size())};
  const auto got =
      pow(from_host(a, shape, device), from_host(b, shape, device)).template to_vector<T>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const T expected = std::pow(a[i], b[i]);
    const std::string what = std::to_string(a[i]) + " to the " + std::to_string(b[i]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got[i])) << what << ": " << got[i];
      continue;
    }
    EXPECT_LE(error_ulps<T>(got[i], expected), 16) << what << ": " << got[i];
    EXPECT_EQ(std::signbit(got[i]), std::signbit(expected)) << what;
  }
}

TEST_P(FunctionsTest, SpecialPowers) {
  check_special_powers<float>(device_);
  check_special_powers<double>(device_);
}

TEST_P(FunctionsTest, PowersWithLiteralsAndBroadcasting) {
  const Tensor t = floats({1, 2, 3});
  expect_values(pow(t, 2), {1, 4, 9});
  expect_values(pow(2, t), {2, 4, 8});
  expect_values(pow(t.view({3, 1}), floats({0, 1})).view({6}), {1, 1, 1, 2, 1, 3});
  const Tensor out = zeros({3}, device_);
  expect_values(pow_out(out, t, -1).slice(0, 0, 2), {1, 0.5F});
}

TEST_P(FunctionsTest, IntegersAreRefused) {
  const Tensor whole = ones({2}, {DType::i32, device_});
  EXPECT_ERROR(pow(whole, whole), kDtypeMismatch,
               "[pow] is not defined for i32: expected one of f32, f64, f16, bf16, got i32");
  EXPECT_ERROR(tanh(whole), kDtypeMismatch, "[tanh] is not defined for i32");
  EXPECT_ERROR(relu(whole.cast(DType::boolean)), kDtypeMismatch, "[relu] is not defined for bool");
}

}  // namespace
}  // namespace patchbay::test

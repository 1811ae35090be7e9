// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Random tensors against draws that are made one at a time.
#include "conformance/reference/philox.h"
#include "support/cpu_runtime.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

using conformance::Draws;
using conformance::philox;
using conformance::Words;

PATCHBAY_DEVICE_TESTS(RandomTest);

constexpr std::int64_t kSizes[] = {1, 3, 4, 5, 1'000'001};
constexpr std::int64_t kTwo32 = std::int64_t{1} << 32;

/// What `element` gives for 0 to n - 1.
template <class T, class Element>
std::vector<T> each(std::int64_t n, Element element) {
  std::vector<T> all(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<T>(element(i));
  return all;
}

template <class T>
void expect_same(const Tensor& got, const std::vector<T>& expected, const std::string& what) {
  const std::vector<T> values = got.to_vector<T>();
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], expected[i]) << what << ", element " << i << " of " << values.size();
  }
}

/// Within 4 units in the last place of |mean| + |deviation z|.
template <class T>
void expect_normal(const Tensor& got, const Draws& draws, T mean, T deviation) {
  const std::vector<T> values = got.to_vector<T>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const long double z = draws.normal<T>(i) * deviation, terms = std::fabs(z) + std::fabs(mean);
    const int exponent = terms == 0 ? 0 : std::ilogb(terms);
    const long double bound = 4 * std::ldexp(1.0L, exponent + 1 - std::numeric_limits<T>::digits);
    ASSERT_LE(std::fabs(static_cast<long double>(values[i]) - (mean + z)), bound)
        << "element " << i << " of " << values.size();
  }
}

TEST(PhiloxTest, KnownVectors) {
  EXPECT_EQ(philox({}, {}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST_P(RandomTest, AnIntegerBelow2To32IsAWord) {
  expect_same<std::int64_t>(randint(0, kTwo32, {4}, device_, Generator(0)),
                            {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, "seed 0");
}

TEST(RandintTest, IsI64WhereverItIsMade) {
  EXPECT_EQ(randint(0, 5, {3}).dtype(), DType::i64);
  EXPECT_EQ(randint(0, 5, {3}, "cpu:0").dtype(), DType::i64);
  EXPECT_EQ(randint(0, 5, {3}, {DType::u8, "cpu:0"}).dtype(), DType::u8);
}

TEST_P(RandomTest, UniformsAreTheDraws) {
  const std::uint64_t seed = 0x0123456789abcdef;
  const Generator generator(seed);
  std::uint64_t offset = 0;
  for (const std::int64_t n : kSizes) {
    const Draws single{seed, offset++};
    expect_same(rand({n}, device_, generator),
                each<float>(n, [&](std::size_t i) { return single.uniform<float>(i); }), "f32");
    const Draws twofold{seed, offset++};
    expect_same(rand({n}, {DType::f64, device_}, generator),
                each<double>(n, [&](std::size_t i) { return twofold.uniform<double>(i); }), "f64");
  }
  EXPECT_EQ(generator.state(), (Generator::State{seed, offset}));
}

TEST_P(RandomTest, UniformsInARange) {
  const Draws draws{3, 0};
  const Tensor single = empty({1001}, device_), twofold = empty({1001}, {DType::f64, device_});
  expect_same(
      fill_uniform(single, -3.5, 10.25, Generator(3)),
      each<float>(1001, [&](std::size_t i) { return -3.5F + draws.uniform<float>(i) * 13.75F; }),
      "f32");
  expect_same(
      fill_uniform(twofold, -3.5, 10.25, Generator(3)),
      each<double>(1001, [&](std::size_t i) { return -3.5 + draws.uniform<double>(i) * 13.75; }),
      "f64");
}

/// Half of the sums round to `high`.
TEST_P(RandomTest, UniformsStayBelowHigh) {
  const Tensor out = empty({257}, device_);
  expect_same(fill_uniform(out, 1, 1 + 0x1p-23), Floats(257, 1), "f32");
  expect_same(fill_uniform(out, 2.5, 2.5), Floats(257, 2.5), "low is high");
  const Tensor wide = empty({257}, {DType::f64, device_});
  expect_same(fill_uniform(wide, 1, 1 + 0x1p-52), Doubles(257, 1), "f64");
  const Tensor half = empty({257}, {DType::f16, device_});
  const auto expect_all = [&](double low, double high, float value) {
    expect_same(fill_uniform(half, low, high), Floats(257, value), "f16");
  };
  expect_all(1, 1 + 0x1p-10, 1);
  expect_all(-0x1p-24, 0, -0x1p-24F);
  expect_all(-1 - 0x1p-10, -1, -1 - 0x1p-10F);
  expect_all(2.5, 2.5, 2.5);
  const Tensor brain = empty({257}, {DType::bf16, device_});
  expect_same(fill_uniform(brain, 1, 1 + 0x1p-7), Floats(257, 1), "bf16");
  EXPECT_INVALID(fill_uniform(half, -60000, 60000), "[fill_uniform]",
                 "expected a width that the dtype has, got low -60000, high 60000.");
}

TEST_P(RandomTest, NormalsAreCloseToTheExactOnes) {
  const Generator generator(7);
  std::uint64_t offset = 0;
  for (const std::int64_t n : kSizes) {
    expect_normal<float>(randn({n}, device_, generator), {7, offset++}, 0, 1);
    expect_normal<double>(randn({n}, {DType::f64, device_}, generator), {7, offset++}, 0, 1);
  }
  const Tensor out = empty({1003}, device_), wide = empty({1003}, {DType::f64, device_});
  expect_normal<float>(fill_normal(out, -1.5, 0.25, Generator(7)), {7, 0}, -1.5, 0.25);
  expect_normal<double>(fill_normal(wide, 100, 3, Generator(7)), {7, 0}, 100, 3);
  expect_same(fill_normal(out, 2, 0), Floats(1003, 2), "no deviation");
}

TEST_P(RandomTest, IntegersAreTheDraws) {
  struct Range {
    std::int64_t low, high;
    std::uint64_t count() const {
      return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    }
  };
  const Generator generator(11);
  std::uint64_t offset = 0;
  for (const std::int64_t n : kSizes) {
    const Draws draws{11, offset++};
    expect_same(randint(-5, 1000, {n}, device_, generator),
                each<std::int64_t>(n, [&](std::size_t i) { return draws.integer(i, -5, 1005); }),
                "i64");
  }
  for (const Range& range : {Range{0, 1}, Range{-7, kTwo32 - 7}, Range{-7, kTwo32 - 6},
                             Range{0, std::int64_t{1} << 33}, Range{INT64_MIN, INT64_MAX}}) {
    const Draws draws{11, offset++};
    expect_same(
        randint(range.low, range.high, {1003}, device_, generator),
        each<std::int64_t>(
            1003, [&](std::size_t i) { return draws.integer(i, range.low, range.count()); }),
        std::to_string(range.low) + " to " + std::to_string(range.high));
  }
  for (const Range& range : {Range{INT32_MIN, INT32_MAX + std::int64_t{1}}, Range{-1, 6}}) {
    const Draws draws{11, offset++};
    expect_same(
        randint(range.low, range.high, {1003}, {DType::i32, device_}, generator),
        each<std::int32_t>(
            1003, [&](std::size_t i) { return draws.integer(i, range.low, range.count()); }),
        "i32");
  }
  const Draws draws{11, offset++};
  expect_same(randint(0, 256, {1003}, {DType::u8, device_}, generator),
              each<std::uint8_t>(1003, [&](std::size_t i) { return draws.word(i) >> 24; }), "u8");
}

TEST_P(RandomTest, MasksCompareDraws) {
  const Generator generator(13);
  std::uint64_t offset = 0;
  for (const double p : {0.0, 0.1, 0.5, 0x1p-32, 0x1p-34, 1.0}) {
    for (const std::int64_t n : {std::int64_t{5}, std::int64_t{100'003}}) {
      const Draws draws{13, offset++};
      const double threshold = std::nearbyint(p * 0x1p32);
      expect_same(bernoulli(p, {n}, device_, generator),
                  each<bool>(n, [&](std::size_t i) { return draws.word(i) < threshold; }),
                  std::to_string(p));
    }
  }
  const Draws draws{13, offset++};
  const double kept = std::nearbyint((1 - 0.2) * 0x1p32);
  expect_same(dropout_mask(0.2, {1003}, device_, generator),
              each<bool>(1003, [&](std::size_t i) { return draws.word(i) < kept; }), "dropout");
  expect_same(dropout_mask(0, {9}, device_), Bools(9, true), "nothing is dropped");
  expect_same(dropout_mask(1, {9}, device_), Bools(9, false), "all is dropped");
}

TEST_P(RandomTest, PermutationsSortTheDraws) {
  const Generator generator(17);
  std::uint64_t offset = 0;
  for (const std::int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 257, 4096, 70'001, 1'000'001}) {
    expect_same(randperm(n, device_, generator), Draws{17, offset++}.permutation(n),
                std::to_string(n));
  }
}

TEST_P(RandomTest, WritesNothingBesideTheView) {
  const Tensor whole = zeros({4, 10}, device_);
  fill_uniform(whole.slice(1, 3, 6), 1, 2);
  const Floats values = whole.to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i] >= 1, i % 10 >= 3 && i % 10 < 6) << i;
  }
}

TEST_P(RandomTest, ScalarsAndEmptyTensorsAreCallsToo) {
  const Generator generator(23);
  EXPECT_EQ(rand({}, device_, generator).item<float>(), (Draws{23, 0}.uniform<float>(0)));
  EXPECT_EQ(rand({0, 3}, device_, generator).num_elements(), 0);
  EXPECT_EQ(randperm(0, device_, generator).shape(), Shape{0});
  EXPECT_EQ(generator.state().offset, 3u);
  EXPECT_EQ(randint(0, kTwo32, {}, device_, generator).item<std::int64_t>(),
            (Draws{23, 3}.word(0)));
}

TEST_P(RandomTest, RefusedCallsTakeNoOffset) {
  const Generator generator(29);
  EXPECT_ERROR(rand({2}, {DType::i32, device_}, generator), kDtypeMismatch,
               "[rand] is not defined for i32: expected one of f32, f64, f16, bf16, got i32");
  EXPECT_ERROR(randn({2}, {DType::boolean, device_}, generator), kDtypeMismatch,
               "[randn] is not defined for bool");
  EXPECT_ERROR(randint(0, 2, {2}, {DType::f32, device_}, generator), kDtypeMismatch,
               "[randint] is not defined for f32: expected one of i32, i64, u8, got f32.");
  EXPECT_INVALID(randint(3, 3, {2}, device_, generator),
                 "[randint] no integers to choose from: expected low < high, got low 3, high 3");
  EXPECT_INVALID(randint(0, 257, {2}, {DType::u8, device_}, generator),
                 "[randint] integers that u8 does not have: expected low and high - 1 within the "
                 "dtype, got low 0, high 257. Choose other bounds, or i64.");
  EXPECT_INVALID(randint(INT32_MIN - std::int64_t{1}, 0, {2}, {DType::i32, device_}, generator),
                 "integers that i32 does not have");
  EXPECT_INVALID(randperm(-1, device_, generator),
                 "[randperm] a negative number of elements: expected at least 0, got -1");
  EXPECT_INVALID(bernoulli(1.5, {2}, device_, generator),
                 "[bernoulli] no probability: expected a number from 0 to 1, got 1.5");
  EXPECT_INVALID(dropout_mask(-0.1, {2}, device_, generator),
                 "[dropout_mask] no probability: expected a number from 0 to 1, got -0.1");
  EXPECT_INVALID(bernoulli(std::nan(""), {2}, device_, generator), "got nan");
  EXPECT_EQ(generator.state(), (Generator::State{29, 0}));
}

TEST_P(RandomTest, RefusedFillsLeaveTheTensorAsItIs) {
  const Generator generator(31);
  const Tensor out = full({2}, 7, device_);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_INVALID(fill_uniform(out, 2, 1, generator), "[fill_uniform]",
                 "expected finite numbers, low at most high, got low 2, high 1");
  EXPECT_INVALID(fill_uniform(out, -infinity, 1, generator), "got low -inf, high 1");
  EXPECT_INVALID(fill_uniform(out, -3e38, 3e38, generator), "[fill_uniform]",
                 "expected a width that the dtype has, got low -3e+38, high 3e+38");
  EXPECT_INVALID(fill_uniform(out, 0, 1e39, generator), "[fill_uniform]");
  EXPECT_INVALID(fill_normal(out, 0, -1, generator), "[fill_normal]",
                 "a finite mean and a finite deviation of at least 0, got mean 0, deviation -1");
  EXPECT_ERROR(fill_integers(out, 0, 5, generator), kDtypeMismatch,
               "[fill_integers] is not defined for f32");
  EXPECT_ERROR(fill_bernoulli(out, 0.5, generator), kDtypeMismatch,
               "[fill_bernoulli] is not defined for f32: expected one of bool, got f32.");
  EXPECT_INVALID(fill_uniform(Tensor(), 0, 1, generator), "[fill_uniform] out is undefined");
  EXPECT_INVALID(fill_uniform(out.slice(0, 0, 1).expand({3}), 0, 1, generator),
                 "[fill_uniform] out repeats elements");
  EXPECT_EQ(generator.state(), (Generator::State{31, 0}));
  EXPECT_EQ(out.to_vector<float>(), Floats(2, 7));
}

TEST(RandomDeviceTest, ADeviceWithoutTheDtypeSaysSo) {
  const Runtime runtime(options({{"fake_f64", "0"}}));
  const Device device = runtime.device("fake:0");
  EXPECT_ERROR(rand({2}, {DType::f64, device}), kUnsupported,
               "[rand] device fake:0 has no dtype f64");
  EXPECT_EQ(default_generator(runtime).state().offset, 0u);
}

struct Drawn {
  Floats uniforms, normals;
  Doubles doubles;
  Bools mask;
  Longs integers, indices;
  bool operator==(const Drawn&) const = default;
};

Drawn drawn_on(const Device& device) {
  constexpr std::int64_t kLarge = 1'234'567;
  const Generator generator(47);
  const Tensor strided = empty({1111, 1113}, device).t();
  return {fill_uniform(strided, 0, 1, generator).to_vector<float>(),
          randn({kLarge}, device, generator).to_vector<float>(),
          randn({kLarge}, {DType::f64, device}, generator).to_vector<double>(),
          bernoulli(0.3, {kLarge}, device, generator).to_vector<bool>(),
          randint(0, 10, {kLarge}, device, generator).to_vector<std::int64_t>(),
          randperm(kLarge, device, generator).to_vector<std::int64_t>()};
}

TEST(RandomThreadsTest, SameBitsForAnyNumberOfThreads) {
  const Drawn expected = drawn_on(cpu_runtime({{"cpu_threads", "1"}}).device("cpu"));
  for (const char* threads : {"2", "3", "7"}) {
    EXPECT_TRUE(drawn_on(cpu_runtime({{"cpu_threads", threads}}).device("cpu")) == expected)
        << threads;
  }
  const Runtime several = cpu_runtime({{"cpu_devices", "2"}, {"cpu_threads", "3"}});
  EXPECT_TRUE(drawn_on(several.device("cpu:1")) == expected);
}

}  // namespace
}  // namespace patchbay::test

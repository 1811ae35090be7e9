// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// f16 and bf16 on the CPU: conversions bit by bit, and what is computed in f32 between them.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "operators/reference.h"
#include "support/cpu_runtime.h"

namespace patchbay::test {
namespace {

using Bits = std::vector<std::uint16_t>;

Bits bits_of(const Tensor& tensor) {
  const Tensor packed = tensor.contiguous();
  Bits bits(static_cast<std::size_t>(packed.num_elements()));
  copy_to_host(bits.data(), {packed.buffer(), packed.offset_bytes(), bits.size() * 2});
  return bits;
}

class CpuHalf : public testing::Test {
 protected:
  Device device() const { return runtime_.device("cpu"); }

  template <class T>
  void check_every_value() const {
    Bits all(1 << 16);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    const Tensor halves = from_host_bytes(all.data(), dtype_of<T>(), {1 << 16}, device());
    const Tensor floats = halves.cast(DType::f32);
    const auto widened = floats.to_vector<float>(), fetched = halves.to_vector<float>();
    const Bits again = bits_of(floats.cast(dtype_of<T>()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const float expected = T::of_bits(all[i]);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(widened[i]) && std::isnan(fetched[i])) << i;
        ASSERT_TRUE(std::isnan(T::of_bits(again[i]))) << i;
        continue;
      }
      ASSERT_EQ(std::memcmp(&widened[i], &expected, sizeof(float)), 0) << i;
      ASSERT_EQ(std::memcmp(&fetched[i], &expected, sizeof(float)), 0) << i;
      ASSERT_EQ(again[i], all[i]);
    }
    // One by one, as a step has them.
    const auto stepped = halves.slice(0, 0, INT64_MAX, 2).cast(DType::f32).to_vector<float>();
    for (std::size_t i = 0; i < stepped.size(); ++i) {
      if (std::isnan(stepped[i])) continue;
      ASSERT_EQ(stepped[i], widened[2 * i]) << i;
    }
  }

  /// Random floats of all magnitudes, many of them halfway between two halves or beside that.
  template <class T>
  void check_rounding() const {
    std::mt19937 engine(5);
    std::vector<float> values(100003);
    for (float& value : values) {
      auto bits = static_cast<std::uint32_t>(engine());
      const int dropped = 24 - std::numeric_limits<T>::digits;
      if (engine() % 2 == 0) bits = (bits >> dropped << dropped) | 1u << (dropped - 1);
      if (engine() % 4 == 0) bits += static_cast<std::uint32_t>(engine() % 3) - 1;
      if (engine() % 2 == 0) bits = (bits & 0x8fffffffu) | 0x38000000u;  // where f16 has values
      std::memcpy(&value, &bits, sizeof(value));
    }
    const auto count = static_cast<std::int64_t>(values.size());
    const Tensor floats = from_host(values, {count}, device());
    const Bits packed = bits_of(floats.cast(dtype_of<T>()));
    const Tensor stepped = empty({count, 2}, {dtype_of<T>(), device()}).select(1, 0);
    stepped.copy_from(floats);
    const Bits spread = bits_of(stepped);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) {
        ASSERT_TRUE(std::isnan(T::of_bits(packed[i])));
        continue;
      }
      const std::uint16_t expected = T(values[i]).bits();
      ASSERT_EQ(packed[i], expected) << values[i];
      ASSERT_EQ(spread[i], expected) << values[i];
    }
  }

  const Runtime runtime_ = cpu_runtime({{"cpu_threads", "2"}});
};

TEST_F(CpuHalf, EveryF16) { check_every_value<F16>(); }
TEST_F(CpuHalf, EveryBf16) { check_every_value<Bf16>(); }
TEST_F(CpuHalf, RoundsToF16) { check_rounding<F16>(); }
TEST_F(CpuHalf, RoundsToBf16) { check_rounding<Bf16>(); }

/// f32 would land halfway between two halves, from which the wrong one is as near.
TEST_F(CpuHalf, WiderTypesAreRoundedOnce) {
  const double above = 1 + 0x1p-11 + 0x1p-40, below = 1 + 0x3p-11 - 0x1p-40;
  const Tensor doubles = from_host({above, below, -above, 0x1p-25 + 0x1p-60, 1e300}, {5}, device());
  EXPECT_EQ(doubles.cast(DType::f16).to_vector<double>(),
            (std::vector<double>{1 + 0x1p-10, 1 + 0x1p-10, -1 - 0x1p-10, 0x1p-24, INFINITY}));
  const std::int64_t large = (std::int64_t{1} << 62) + (std::int64_t{1} << 54);
  const Tensor integers =
      from_host(std::vector<std::int64_t>{large + 1, large, large - 1, -large - 1}, {4}, device());
  EXPECT_EQ(integers.cast(DType::bf16).to_vector<double>(),
            (std::vector<double>{0x1p62 + 0x1p55, 0x1p62, 0x1p62, -0x1p62 - 0x1p55}));
  EXPECT_EQ(integers.cast(DType::f16).to_vector<float>()[0], INFINITY);
}

TEST_F(CpuHalf, ValuesComeAsFloatsAndDoubles) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Tensor t = from_host({1.5F, -2.0F}, {2}, device()).cast(dtype);
    EXPECT_EQ(t.to_vector<float>(), (std::vector<float>{1.5F, -2.0F}));
    EXPECT_EQ(t[1].item<double>(), -2.0);
    EXPECT_EQ(show(t), "[ 1.5, -2.0]  " + std::string(to_string(dtype)) + " [2] on cpu:0");
    EXPECT_ERROR(t[0].item<std::int32_t>(), ErrorCode::kDtypeMismatch,
                 "[item] wrong type of value");
  }
}

/// Each row is looked up 600 times: in bf16 a sum of ones would stay at 256.
TEST_F(CpuHalf, WhatIndicesAddIsRoundedOnce) {
  const Tensor index = zeros({600}, {DType::i64, device()});
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Tensor rows = full({2, 3}, 1, {dtype, device()}).requires_grad_();
    const Tensor found = embedding(rows, index);
    EXPECT_EQ(found.dtype(), dtype);
    sum(found.cast(DType::f32)).backward();
    EXPECT_EQ(rows.grad().dtype(), dtype);
    EXPECT_EQ(rows.grad().to_vector<float>(), (std::vector<float>{600, 600, 600, 0, 0, 0}));
    const Tensor ones_ = full({600, 3}, 1, {dtype, device()}).requires_grad_();
    const Tensor base = full({2, 3}, 8, {dtype, device()});
    const Tensor sums = index_add(base, 0, index, ones_);
    EXPECT_EQ(sums.to_vector<float>(), (std::vector<float>{608, 608, 608, 8, 8, 8}));
    sum(sums * 2).backward();
    EXPECT_EQ(ones_.grad().to_vector<float>(), std::vector<float>(1800, 2));
    index_add_out(base, base, 0, index, ones_.detach());
    EXPECT_EQ(base.to_vector<float>(), (std::vector<float>{608, 608, 608, 8, 8, 8}));
    EXPECT_INVALID(index_add(base, 0, index + 2, ones_.detach()),
                   "[index_add] index 2 at [0] is out of range");
  }
}

/// Sums leave the range of f16 where means and roots do not.
TEST_F(CpuHalf, MeansAndNormsAreRoundedOnce) {
  const Tensor t = full({70000}, 300, {DType::f16, device()});
  EXPECT_EQ(sum(t).item<float>(), INFINITY);
  EXPECT_EQ(mean(t).item<float>(), 300);
  EXPECT_EQ(norm(t.slice(0, 0, 10000)).item<float>(), 30000);
  EXPECT_EQ(var(t).item<float>(), 0);
  EXPECT_EQ(stddev(t).dtype(), DType::f16);
}

/// Of more than one tile in each direction.
TEST_F(CpuHalf, ProductsAreRoundedOnce) {
  const Generator generator(3);
  const Tensor a = rand({700, 600}, device(), generator).cast(DType::bf16);
  const Tensor b = rand({530, 600}, device(), generator).cast(DType::bf16).t();
  const Tensor c = rand({700, 530}, device(), generator).cast(DType::bf16);
  const auto expected =
      addmm(c.cast(DType::f64), a.cast(DType::f64), b.cast(DType::f64), 2, 3).to_vector<double>();
  const auto got = addmm(c, a, b, 2, 3).to_vector<double>();
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], expected[i] * 0x1.01p-8) << i;
  }
}

TEST_F(CpuHalf, GradientsKeepTheDtype) {
  const Tensor weight = ones({2, 3}, {DType::bf16, device()}).requires_grad_();
  const Tensor x = full({4, 3}, 2, {DType::bf16, device()});
  mean(square(linear(x, weight))).backward();
  EXPECT_EQ(weight.grad().dtype(), DType::bf16);
  EXPECT_EQ(weight.grad().to_vector<float>(), std::vector<float>(6, 12));
}

TEST_F(CpuHalf, SumsRepeatTheirBitsForAnyNumberOfThreads) {
  std::vector<Bits> results;
  for (const char* const threads : {"1", "2", "3"}) {
    const Runtime runtime = cpu_runtime({{"cpu_threads", threads}});
    const Tensor t = randn({3000, 700}, runtime.device("cpu"), Generator(9)).cast(DType::bf16);
    Bits all = bits_of(sum(t).view({1}));
    for (const Tensor& part :
         {sum(t, 0), sum(t, 1), sum(square(t), 0), matmul(t.t(), t).view({-1})}) {
      const Bits more = bits_of(part);
      all.insert(all.end(), more.begin(), more.end());
    }
    results.push_back(all);
  }
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <patchbay/scalar.h>

#include "support/runtime_fixture.h"

namespace patchbay::test {
namespace {

template <class T>
T value_of(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

TEST(ScalarTest, TakesTheDtypeOfTheTensor) {
  EXPECT_EQ(value_of<float>(Scalar(1).bits(DType::f32)), 1.0F);
  EXPECT_EQ(value_of<float>(Scalar(0.1).bits(DType::f32)), 0.1F);
  EXPECT_EQ(value_of<double>(Scalar(0.1).bits(DType::f64)), 0.1);
  EXPECT_EQ(value_of<std::int32_t>(Scalar(-7).bits(DType::i32)), -7);
  EXPECT_EQ(value_of<std::int32_t>(Scalar(2.0).bits(DType::i32)), 2);
  EXPECT_EQ(value_of<std::int64_t>(Scalar(INT64_MIN).bits(DType::i64)), INT64_MIN);
  EXPECT_EQ(value_of<std::uint8_t>(Scalar(255).bits(DType::u8)), 255);
  EXPECT_EQ(Scalar(-1).bits(DType::i8), 0xffU);
  EXPECT_EQ(Scalar(-32768.0).bits(DType::i16), 0x8000U);
  EXPECT_EQ(Scalar(65535).bits(DType::u16), 0xffffU);
  EXPECT_EQ(Scalar(UINT32_MAX).bits(DType::u32), UINT32_MAX);
  EXPECT_EQ(Scalar(true).bits(DType::boolean), 1u);
  EXPECT_TRUE(std::isnan(value_of<float>(Scalar(NAN).bits(DType::f32))));
  EXPECT_EQ(value_of<float>(Scalar(-INFINITY).bits(DType::f32)), -INFINITY);
}

TEST(ScalarTest, RoundsWholeNumbersOnce) {
  // Through a double this would round twice, and down.
  const std::int64_t value = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
  EXPECT_EQ(value_of<float>(Scalar(value).bits(DType::f32)), static_cast<float>(value));
}

TEST(ScalarTest, HoldsEveryUnsignedIntegerOf64Bits) {
  EXPECT_EQ(Scalar(UINT64_MAX).bits(DType::u64), UINT64_MAX);
  EXPECT_EQ(Scalar(UINT64_MAX - 1).bits(DType::u64), UINT64_MAX - 1);
  EXPECT_EQ(Scalar(0x1p63).bits(DType::u64), std::uint64_t{1} << 63);
  EXPECT_EQ(Scalar(UINT64_MAX - 1).to_string(), "18446744073709551614");
  EXPECT_EQ(Scalar(UINT64_MAX).to_double(), 0x1p64);
  EXPECT_FALSE(Scalar(UINT64_MAX).is_floating());
  EXPECT_EQ(value_of<float>(
                Scalar((std::uint64_t{1} << 63) + (std::uint64_t{1} << 39) + 1).bits(DType::f32)),
            0x1.000002p63F);
  EXPECT_ERROR(static_cast<void>(Scalar(UINT64_MAX).to_int64()), ErrorCode::kInvalidArgument,
               "[scalar] no integer of 64 bits: expected -2^63 to 2^63 - 1, got "
               "18446744073709551615. Use a smaller value.");
  EXPECT_ERROR(Scalar(0x1p64).bits(DType::u64), ErrorCode::kInvalidArgument, "u64 can hold");
  EXPECT_ERROR(Scalar(-1).bits(DType::u64, "eq"), ErrorCode::kInvalidArgument,
               "[eq] a literal takes the tensor's dtype: expected a value that u64 can hold, got "
               "-1. Use such a value, or cast the tensor.");
}

TEST(ScalarTest, RefusesWhatTheDtypeCannotHold) {
  EXPECT_ERROR(Scalar(128).bits(DType::i8), ErrorCode::kInvalidArgument, "got 128");
  EXPECT_ERROR(Scalar(-129).bits(DType::i8), ErrorCode::kInvalidArgument, "got -129");
  EXPECT_ERROR(Scalar(-1).bits(DType::u16), ErrorCode::kInvalidArgument, "u16 can hold");
  EXPECT_ERROR(Scalar(std::int64_t{1} << 32).bits(DType::u32), ErrorCode::kInvalidArgument, "u32");
  EXPECT_ERROR(Scalar(1.5).bits(DType::i32, "add"), ErrorCode::kInvalidArgument,
               "[add] a literal takes the tensor's dtype: expected a value that i32 can hold, got "
               "1.5");
  EXPECT_ERROR(Scalar(300).bits(DType::u8), ErrorCode::kInvalidArgument, "got 300");
  EXPECT_ERROR(Scalar(-1).bits(DType::u8), ErrorCode::kInvalidArgument, "got -1");
  EXPECT_ERROR(Scalar(2).bits(DType::boolean), ErrorCode::kInvalidArgument, "bool can hold");
  EXPECT_ERROR(Scalar(std::int64_t{1} << 31).bits(DType::i32), ErrorCode::kInvalidArgument, "i32");
  EXPECT_ERROR(Scalar(1e39).bits(DType::f32), ErrorCode::kInvalidArgument, "got 1e+39");
  EXPECT_ERROR(Scalar(0x1p63).bits(DType::i64), ErrorCode::kInvalidArgument, "i64");
  EXPECT_ERROR(Scalar(NAN).bits(DType::i64), ErrorCode::kInvalidArgument, "got nan");
  EXPECT_ERROR(Scalar(UINT64_MAX).bits(DType::i64), ErrorCode::kInvalidArgument, "i64");
  EXPECT_ERROR(Scalar(1e300).to_int64(), ErrorCode::kInvalidArgument, "64 bits");
}

TEST(ScalarTest, LargestFloatsAreNoOverflow) {
  const double largest = std::numeric_limits<float>::max();
  EXPECT_EQ(value_of<float>(Scalar(largest).bits(DType::f32)), std::numeric_limits<float>::max());
  EXPECT_EQ(value_of<double>(Scalar(UINT64_MAX).bits(DType::f64)), 0x1p64);
}

struct SmallCase {
  double value;
  std::uint64_t half, brain;
};

TEST(ScalarTest, RoundsToSixteenBits) {
  const SmallCase cases[] = {{0.0, 0x0000, 0x0000},      {-0.0, 0x8000, 0x8000},
                             {1.0, 0x3c00, 0x3f80},      {-2.0, 0xc000, 0xc000},
                             {1.0 / 3, 0x3555, 0x3eab},  {65504.0, 0x7bff, 0x4780},
                             {INFINITY, 0x7c00, 0x7f80}, {0x1p-24, 0x0001, 0x3380},
                             {0x1p-14, 0x0400, 0x3880},  {0x1.ff8p-15, 0x03ff, 0x3880}};
  for (const SmallCase& c : cases) {
    EXPECT_EQ(Scalar(c.value).bits(DType::f16), c.half) << c.value;
    EXPECT_EQ(Scalar(c.value).bits(DType::bf16), c.brain) << c.value;
  }
  EXPECT_EQ(Scalar(0x1p-25).bits(DType::f16), 0u);  // halfway: to even
  EXPECT_EQ(Scalar(1 + 0x1p-11).bits(DType::f16), 0x3c00u);
  EXPECT_EQ(Scalar(1 + 0x3p-11).bits(DType::f16), 0x3c02u);
  EXPECT_ERROR(Scalar(65520.0).bits(DType::f16), ErrorCode::kInvalidArgument, "f16 can hold");
}

}  // namespace
}  // namespace patchbay::test

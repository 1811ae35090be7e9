// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <patchbay/dtype.h>

#include "unit/runtime_fixture.h"

namespace patchbay::test {
namespace {

constexpr DType kDTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16,
                             DType::i32, DType::i64, DType::u8,  DType::boolean};

TEST(DTypeTest, NamesCanBeParsed) {
  for (const DType dtype : kDTypes) EXPECT_EQ(parse_dtype(to_string(dtype)), dtype);
  std::ostringstream out;
  out << DType::boolean << ' ' << DType::bf16;
  EXPECT_EQ(out.str(), "bool bf16");
}

TEST(DTypeTest, BadNamesAreQuotedAndTheGoodOnesListed) {
  EXPECT_ERROR(parse_dtype("float32"), ErrorCode::kInvalidArgument, "'float32'");
  EXPECT_ERROR(parse_dtype("float32"), ErrorCode::kInvalidArgument, "f32, f64, f16, bf16, i32");
  EXPECT_ERROR(parse_dtype("F32\n"), ErrorCode::kInvalidArgument, "unknown dtype");
  EXPECT_ERROR(parse_dtype(""), ErrorCode::kInvalidArgument, "unknown dtype");
}

TEST(DTypeTest, KnowsItsSizeAndKind) {
  EXPECT_EQ(size_bytes(DType::f32), 4u);
  EXPECT_EQ(size_bytes(DType::bf16), 2u);
  EXPECT_EQ(size_bytes(DType::i64), 8u);
  EXPECT_EQ(size_bytes(DType::boolean), 1u);
  EXPECT_TRUE(is_floating(DType::f16));
  EXPECT_FALSE(is_floating(DType::boolean));
}

TEST(DTypeTest, FollowsTheCppType) {
  EXPECT_EQ(dtype_of<float>(), DType::f32);
  EXPECT_EQ(dtype_of<long long>(), DType::i64);
  EXPECT_EQ(dtype_of<long>(), DType::i64);
  EXPECT_EQ(dtype_of<std::uint8_t>(), DType::u8);
  EXPECT_EQ(dtype_of<bool>(), DType::boolean);
}

}  // namespace
}  // namespace patchbay::test

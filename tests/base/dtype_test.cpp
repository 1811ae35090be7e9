// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <patchbay/patchbay.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

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
  EXPECT_EQ(size_bytes(DType::i8), 1u);
  EXPECT_EQ(size_bytes(DType::u16), 2u);
  EXPECT_EQ(size_bytes(DType::u64), 8u);
  EXPECT_TRUE(is_floating(DType::f16));
  EXPECT_FALSE(is_floating(DType::boolean));
  EXPECT_EQ(size_bytes(DType::c64), 8u);
  EXPECT_EQ(size_bytes(DType::c128), 16u);
  EXPECT_FALSE(is_floating(DType::c64));
  for (const DType dtype : kDTypes) {
    EXPECT_EQ(is_complex(dtype), dtype == DType::c64 || dtype == DType::c128);
    EXPECT_EQ(size_bytes(real_dtype(dtype)) * (is_complex(dtype) ? 2 : 1), size_bytes(dtype));
    EXPECT_TRUE(!is_complex(dtype) || complex_dtype(real_dtype(dtype)) == dtype);
  }
}

TEST(DTypeTest, FollowsTheCppType) {
  EXPECT_EQ(dtype_of<float>(), DType::f32);
  EXPECT_EQ(dtype_of<long long>(), DType::i64);
  EXPECT_EQ(dtype_of<long>(), DType::i64);
  EXPECT_EQ(dtype_of<std::uint8_t>(), DType::u8);
  EXPECT_EQ(dtype_of<bool>(), DType::boolean);
  EXPECT_EQ(dtype_of<std::complex<float>>(), DType::c64);
  EXPECT_EQ(dtype_of<std::complex<double>>(), DType::c128);
  EXPECT_EQ(dtype_of<std::int8_t>(), DType::i8);
  EXPECT_EQ(dtype_of<short>(), DType::i16);
  EXPECT_EQ(dtype_of<std::uint16_t>(), DType::u16);
  EXPECT_EQ(dtype_of<unsigned>(), DType::u32);
  EXPECT_EQ(dtype_of<unsigned long>(), DType::u64);
  EXPECT_EQ(dtype_of<std::size_t>(), DType::u64);
}

bool has(const Device& device, DType dtype) {
  const DeviceProperties& can = device.properties();
  if (dtype == DType::f64 || dtype == DType::c128) return can.f64;
  if (dtype == DType::f16) return can.f16;
  return dtype != DType::bf16 || can.bf16;
}

std::vector<float> as_floats(const Tensor& tensor) {
  return real(tensor).cast(DType::f32).to_vector<float>();
}

/// As elements of a dtype that holds them; a bool has 0 and 1 alone.
std::vector<float> in_dtype(DType dtype, std::vector<float> counts) {
  if (dtype != DType::boolean) return counts;
  for (float& count : counts) count = count != 0 ? 1 : 0;
  return counts;
}

/// The dtypes of a device are those that it can fill, copy and cast; others are refused by name.
class DeviceDTypeTest : public DeviceTest {
 protected:
  Tensor counted(DType dtype) const {
    return from_host(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3}, device_).cast(dtype);
  }
  void expect_it_works(DType dtype) const;
  void expect_it_is_refused(DType dtype) const;
};
PATCHBAY_ON_EACH_DEVICE(DeviceDTypeTest);

void DeviceDTypeTest::expect_it_works(DType dtype) const {
  EXPECT_EQ(empty({2}, {dtype, device_}).dtype(), dtype);
  EXPECT_EQ(as_floats(zeros({3}, {dtype, device_})), std::vector<float>(3, 0));
  EXPECT_EQ(as_floats(ones({3}, {dtype, device_})), std::vector<float>(3, 1));
  const Tensor counts = counted(dtype);
  EXPECT_EQ(as_floats(counts), in_dtype(dtype, {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(as_floats(counts.clone()), in_dtype(dtype, {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(as_floats(counts.t().contiguous()), in_dtype(dtype, {0, 3, 1, 4, 2, 5}));
  counts.slice(1, 0, 3, 2).fill_(1);
  EXPECT_EQ(as_floats(counts), in_dtype(dtype, {1, 1, 1, 1, 4, 1}));
  for (const DType other : kDTypes) {
    if (!has(device_, other)) continue;
    if (is_complex(other) && !is_complex(dtype)) continue;  // an error
    EXPECT_EQ(as_floats(counted(other).cast(dtype)),
              in_dtype(other, in_dtype(dtype, {0, 1, 2, 3, 4, 5})))
        << to_string(other);
  }
  std::vector<std::uint8_t> bytes(6 * size_bytes(dtype)), got(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i % 2);
  const Tensor raw = from_host_bytes(bytes.data(), dtype, {6}, device_);
  copy_to_host(got.data(), {raw.buffer(), raw.offset_bytes(), got.size()});
  EXPECT_EQ(got, bytes);
}

void DeviceDTypeTest::expect_it_is_refused(DType dtype) const {
  const std::string why =
      "device " + device_.name() + " has no dtype " + std::string(to_string(dtype)) + ": expected";
  const std::uint64_t live = device_.memory().live_blocks;
  EXPECT_ERROR(static_cast<void>(empty({2}, {dtype, device_})), ErrorCode::kUnsupported,
               "[empty] " + why);
  EXPECT_ERROR(static_cast<void>(zeros({2}, {dtype, device_})), ErrorCode::kUnsupported,
               "[zeros] " + why);
  const std::vector<std::uint64_t> bytes(2);
  EXPECT_ERROR(static_cast<void>(from_host_bytes(bytes.data(), dtype, {2}, device_)),
               ErrorCode::kUnsupported, "[from_host] " + why);
  const Tensor one = ones({2}, device_);
  EXPECT_ERROR(static_cast<void>(one.cast(dtype)), ErrorCode::kUnsupported, "[cast] " + why);
  EXPECT_ERROR(static_cast<void>(ones({2}, {dtype, test_device("cpu:0")}).to(device_)),
               ErrorCode::kUnsupported, "[to] " + why);
  EXPECT_EQ(device_.memory().live_blocks, live + 1);
}

TEST_P(DeviceDTypeTest, WhatIsClaimedIsThereAndTheRestIsRefused) {
  for (const DType dtype : kDTypes) {
    SCOPED_TRACE(to_string(dtype));
    if (has(device_, dtype)) {
      expect_it_works(dtype);
    } else {
      expect_it_is_refused(dtype);
    }
  }
}

}  // namespace
}  // namespace patchbay::test

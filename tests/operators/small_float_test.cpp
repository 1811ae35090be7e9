// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Conversions of every 16-bit float, and of what lies between two of them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include <patchbay/copy.h>
#include <patchbay/ops.h>

#include "operators/reference.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

constexpr int kNumPatterns = 1 << 16;

class SmallFloatTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string absence = absence_of(GetParam()); !absence.empty()) {
      GTEST_SKIP() << absence;
    }
    device_ = test_device(GetParam());
  }

  template <class T>
  Tensor all_patterns() const {
    std::vector<std::uint16_t> bits(kNumPatterns);
    for (int i = 0; i < kNumPatterns; ++i) {
      bits[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(i);
    }
    return from_host_bytes(bits.data(), dtype_of<T>(), {kNumPatterns}, *device_);
  }

  /// That `values` are cast to the nearest ones of type T.
  template <class T, class From>
  void expect_rounded(const std::vector<From>& values, const char* what) const {
    const Tensor from = from_host(values, {static_cast<std::int64_t>(values.size())}, *device_);
    const auto got = from.cast(dtype_of<T>()).template to_vector<float>();
    ASSERT_EQ(got.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto expected = static_cast<float>(T(values[i]));
      if (std::isnan(expected) && std::isnan(got[i])) continue;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(expected))
          << what << " of " << values[i] << ": expected " << expected << ", got " << got[i];
    }
  }

  template <class T>
  void check_type() const;

  std::optional<Device> device_;
};
INSTANTIATE_TEST_SUITE_P(, SmallFloatTest, PATCHBAY_EACH_DEVICE, device_test_name);

/// Finite ones, in order.
template <class T>
std::vector<double> finite_values(const std::vector<float>& all) {
  std::vector<double> finite;
  for (const float value : all) {
    if (std::isfinite(value)) finite.push_back(value);
  }
  std::sort(finite.begin(), finite.end());
  return finite;
}

template <class T>
void SmallFloatTest::check_type() const {
  const Tensor patterns = all_patterns<T>();
  const std::vector<float> values = patterns.cast(DType::f32).to_vector<float>();
  const std::vector<float> host = patterns.to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(host[i]) && std::isnan(values[i])) continue;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(host[i])) << i;
  }
  expect_rounded<T>(values, "the f32");

  const std::vector<double> finite = finite_values<T>(host);
  std::vector<float> middles;
  std::vector<double> around;
  std::vector<std::int64_t> whole;
  for (std::size_t i = 0; i + 1 < finite.size(); ++i) {
    const double middle = (finite[i] + finite[i + 1]) / 2;
    middles.push_back(static_cast<float>(middle));
    around.insert(around.end(),
                  {std::nextafter(middle, -HUGE_VAL), middle, std::nextafter(middle, HUGE_VAL)});
    if (std::fabs(middle) < 1024 || std::fabs(middle) >= 0x1p62) continue;
    const auto integer = static_cast<std::int64_t>(middle);
    whole.insert(whole.end(), {integer - 1, integer, integer + 1});
  }
  expect_rounded<T>(middles, "the f32");
  expect_rounded<T>(around, "the f64");
  expect_rounded<T>(whole, "the i64");
}

TEST_P(SmallFloatTest, F16IsTheNearest) { check_type<F16>(); }
TEST_P(SmallFloatTest, Bf16IsTheNearest) { check_type<Bf16>(); }

/// Copies and choices keep the bits, NaN's too where nothing is computed.
TEST_P(SmallFloatTest, CopiesKeepTheBits) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Tensor patterns = dtype == DType::f16 ? all_patterns<F16>() : all_patterns<Bf16>();
    std::vector<std::uint16_t> bits(kNumPatterns);
    const Tensor turned = patterns.reshape({256, 256}).t().contiguous().t().contiguous();
    copy_to_host(bits.data(), {turned.buffer(), 0, kNumPatterns * sizeof(std::uint16_t)});
    for (int i = 0; i < kNumPatterns; ++i) ASSERT_EQ(bits[static_cast<std::size_t>(i)], i);
  }
}

}  // namespace
}  // namespace patchbay::test

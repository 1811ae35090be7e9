// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The texts that the portable operators share: divisions that are products, with the host's part,
// and Philox.
#include "kit/portable/base/divisor.hpp"
#include "support/device_test.h"
#include "support/kernels.h"
#include "support/paths.h"

namespace patchbay::test {
namespace {

using portable::Divisor;
using portable::divisor_of;

PATCHBAY_DEVICE_TESTS(DivisorTextTest);

constexpr std::int64_t kMost32 = std::numeric_limits<std::int32_t>::max();

// Numbers beside multiples of the divisors, where a quotient steps.
constexpr const char* kCompare = R"(
PATCHBAY_KERNEL(compare)(PATCHBAY_OUTPUT(i64, wrong), PATCHBAY_INPUT(i64, divisors),
                         PATCHBAY_VALUE(i64, most), PATCHBAY_VALUE(i64, count)) {
  PATCHBAY_BIND(i64, wrong);
  PATCHBAY_BIND_INPUT(i64, divisors);
  const i64 item = PATCHBAY_GLOBAL_ID64(0);
  if (item >= count) return;
  Divisor by;
  by.divisor = divisors[3 * item];
  by.factor = divisors[3 * item + 1];
  by.shift = divisors[3 * item + 2];
  i64 found = 0;
  for (i64 k = 0; k < 64; ++k) {
    const i64 multiple = (most / by.divisor * k / 63) * by.divisor;
    for (i64 beside = -1; beside < 2; ++beside) {
      const i64 n = multiple + beside;
      if (n >= 0 && n <= most && quotient(n, by) != n / by.divisor) ++found;
    }
  }
  wrong[item] = found;
}
)";

TEST_P(DivisorTextTest, EqualsDivision) {
  const std::string path = source_path("kit/portable/texts/divisor.pbk");
  const ModuleKernel compare =
      KernelModule::from_source(device_, read_text(path) + kCompare).kernel("compare");
  for (const std::int64_t most :
       {std::int64_t{1000}, kMost32, kMost32 + 1, std::int64_t{1} << 40}) {
    Longs numbers;
    for (std::int64_t d = 1; d <= 300; ++d) numbers.push_back(d);
    for (int bit = 8; bit < 31; ++bit) {
      for (std::int64_t beside = -1; beside < 2; ++beside) {
        numbers.push_back((std::int64_t{1} << bit) + beside);
      }
    }
    for (const std::int64_t d : {std::int64_t{641}, std::int64_t{1'000'003}, kMost32 - 1, kMost32,
                                 kMost32 + 1, std::int64_t{1} << 33}) {
      numbers.push_back(d);
    }
    Longs divisors;
    for (const std::int64_t number : numbers) {
      const Divisor by = divisor_of(number, most);
      divisors.insert(divisors.end(), {by.divisor, by.factor, by.shift});
    }
    const auto count = static_cast<std::int64_t>(numbers.size());
    const Tensor wrong = empty({count}, {DType::i64, device_});
    compare.launch({{count}, {1}}, {wrong, from_host(divisors, {3 * count}, device_), most, count});
    EXPECT_EQ(wrong.to_vector<std::int64_t>(), Longs(numbers.size()))
        << "numerators up to " << most;
  }
}

TEST(Divisor, ProductsAreForNumbersBelow2To31) {
  EXPECT_NE(divisor_of(3, kMost32).factor, 0);
  EXPECT_EQ(divisor_of(3, kMost32 + 1).factor, 0);
  EXPECT_EQ(divisor_of(kMost32 + 1, 5).factor, 0);
}

// ------------------------------------------------------------------
// The text of Philox that the portable operators share, on the published vectors.

PATCHBAY_DEVICE_TESTS(PhiloxTextTest);

constexpr const char* kBlock = R"(
PATCHBAY_KERNEL(block)(PATCHBAY_OUTPUT(i64, words), PATCHBAY_VALUE(i64, value)) {
  PATCHBAY_BIND(i64, words);
  if (PATCHBAY_GLOBAL_ID64(0) != 0) return;
  const PhiloxBlock made = philox((u64)value, (u64)value, (u64)value);
  for (i32 j = 0; j < 4; ++j) words[j] = (i64)made.word[j];
  for (i32 j = 0; j < 2; ++j) words[4 + j] = (i64)philox_draw(made, j);
}
)";

TEST_P(PhiloxTextTest, KnownVectors) {
  const std::string path = source_path("kit/portable/texts/philox.pbk");
  const ModuleKernel block =
      KernelModule::from_source(device_, read_text(path) + kBlock).kernel("block");
  const auto run = [&](std::int64_t value) {
    const Tensor words = empty({6}, {DType::i64, device_});
    block.launch({{1}, {1}}, {words, value});
    return words.to_vector<std::int64_t>();
  };
  EXPECT_EQ(run(0), (Longs{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, -0x1e963a7299d8172b,
                           -0x64ff242743a853b4}));
  EXPECT_EQ(run(-1), (Longs{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd, 0x41c83b0e408f276d,
                            0x6d5451fda20bc7c6}));
}

}  // namespace
}  // namespace patchbay::test

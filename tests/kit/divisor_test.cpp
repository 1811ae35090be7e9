// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Divisions that are products: the text that the portable operators share, with the host's part.
#include "kit/portable/base/divisor.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "support/device_test.h"
#include "support/kernels.h"
#include "support/paths.h"

namespace patchbay::test {
namespace {

using portable::Divisor;
using portable::divisor_of;

class DivisorTextTest : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(DivisorTextTest);

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
    std::vector<std::int64_t> numbers;
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
    std::vector<std::int64_t> divisors;
    for (const std::int64_t number : numbers) {
      const Divisor by = divisor_of(number, most);
      divisors.insert(divisors.end(), {by.divisor, by.factor, by.shift});
    }
    const auto count = static_cast<std::int64_t>(numbers.size());
    const Tensor wrong = empty({count}, {DType::i64, device_});
    compare.launch({{count}, {1}}, {wrong, from_host(divisors, {3 * count}, device_), most, count});
    EXPECT_EQ(wrong.to_vector<std::int64_t>(), std::vector<std::int64_t>(numbers.size()))
        << "numerators up to " << most;
  }
}

TEST(Divisor, ProductsAreForNumbersBelow2To31) {
  EXPECT_NE(divisor_of(3, kMost32).factor, 0);
  EXPECT_EQ(divisor_of(3, kMost32 + 1).factor, 0);
  EXPECT_EQ(divisor_of(kMost32 + 1, 5).factor, 0);
}

}  // namespace
}  // namespace patchbay::test

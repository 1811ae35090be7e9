// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// 1,000 schedules, 100,000 with PATCHBAY_TEST_ALL; PATCHBAY_SCHEDULE=<seed> runs that one alone.
#include "schedules/schedule.h"

#include <cstdlib>

#include "unit/runtime_fixture.h"

namespace patchbay::schedules {
namespace {

constexpr std::uint64_t kParts = 100;

/// Under a sanitizer a schedule takes ten times as long.
std::uint64_t num_schedules() {
  return std::getenv("PATCHBAY_TEST_ALL") != nullptr && !test::kSanitized ? 100'000 : 1'000;
}

void expect_right(std::uint64_t seed) {
  EXPECT_EQ(run_schedule(seed), "") << "Run it again with PATCHBAY_SCHEDULE=" << seed;
}

class Schedules : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Schedules, AreAsTheModelSays) {
  if (const char* const wanted = std::getenv("PATCHBAY_SCHEDULE")) {
    if (GetParam() == 0) expect_right(std::strtoull(wanted, nullptr, 10));
    return;
  }
  const std::uint64_t count = num_schedules() / kParts;
  for (std::uint64_t i = 0; i < count && !HasFailure(); ++i) {
    expect_right(GetParam() * count + i);
  }
}

INSTANTIATE_TEST_SUITE_P(Part, Schedules, testing::Range(std::uint64_t{0}, kParts));

}  // namespace
}  // namespace patchbay::schedules

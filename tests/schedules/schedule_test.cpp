// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// 1,000 schedules, 100,000 with PATCHBAY_TEST_ALL; PATCHBAY_TEST_SCHEDULE=<seed> runs that one
// alone.
#include "schedules/schedule.h"

#include "support/runtime_fixture.h"

namespace patchbay::schedules {
namespace {

constexpr std::uint64_t kParts = 100;

/// Under a sanitizer a schedule takes ten times as long.
std::uint64_t num_schedules() {
  return std::getenv("PATCHBAY_TEST_ALL") != nullptr && !test::kSanitized ? 100'000 : 1'000;
}

std::string run(std::uint64_t seed) {
  const std::string failure = run_schedule(seed);
  if (failure.empty()) return failure;
  return failure + "Run it again with PATCHBAY_TEST_SCHEDULE=" + std::to_string(seed) + "\n";
}

/// The schedules from `begin` on, a few at a time, for they mostly wait. Gives what failed.
std::string run_all(std::uint64_t begin, std::uint64_t end) {
  constexpr std::size_t kAtOnce = 4;
  std::atomic<std::uint64_t> next{begin};
  std::vector<std::string> failures(kAtOnce);
  std::vector<std::thread> threads;
  for (std::string& failure : failures) {
    threads.emplace_back([&] {
      for (std::uint64_t seed = next++; seed < end && failure.empty(); seed = next++) {
        failure = run(seed);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::string all;
  for (const std::string& failure : failures) all += failure;
  return all;
}

class Schedules : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Schedules, AreAsTheModelSays) {
  if (const char* const wanted = std::getenv("PATCHBAY_TEST_SCHEDULE")) {
    if (GetParam() != 0) return;
    EXPECT_EQ(run(std::strtoull(wanted, nullptr, 10)), "");
    return;
  }
  const std::uint64_t count = num_schedules() / kParts;
  EXPECT_EQ(run_all(GetParam() * count, (GetParam() + 1) * count), "");
}

INSTANTIATE_TEST_SUITE_P(Part, Schedules, testing::Range(std::uint64_t{0}, kParts));

}  // namespace
}  // namespace patchbay::schedules

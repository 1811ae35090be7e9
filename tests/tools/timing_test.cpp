// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/bench/timing.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace patchbay::tools {
namespace {

/// A subject that writes its letter for each call, and a point for each wait.
Subject logging(std::string& log, char letter) {
  return {repeat([&log, letter] { log += letter; }), [&log] { log += '.'; }};
}

TEST(Timing, MedianIsTheMiddleOne) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 3);
}

TEST(Timing, SubjectsTakeTurnsAfterOneCallThatIsNotCounted) {
  std::string log;
  const auto times =
      measure({logging(log, 'a'), logging(log, 'b')}, {.least = 3, .most = 3, .seconds = 0});
  EXPECT_EQ(log, "a.b.a.b.a.b.a.b.");
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].size(), 3u);
  EXPECT_EQ(times[1].size(), 3u);
}

TEST(Timing, RoundsEndWithTheirTime) {
  std::string log;
  const Subject subject = logging(log, 'a');
  EXPECT_EQ(measure({subject}, {.least = 2, .most = 9, .seconds = 0})[0].size(), 2u);
  EXPECT_EQ(measure({subject}, {.least = 2, .most = 9, .seconds = 1e9})[0].size(), 9u);
  const Rounds over{.least = 2, .most = 9, .seconds = 1e9, .most_seconds = -1};
  EXPECT_EQ(measure({subject}, over)[0].size(), 1u);
}

/// A call takes at least a millisecond, so a batch of four is long enough, and so may a shorter
/// one.
TEST(Timing, BatchesGrowUntilTheyAreLongEnough) {
  std::vector<std::int64_t> batches;
  const Subject subject{[&](std::int64_t calls) {
    batches.push_back(calls);
    const auto start = Clock::now();
    while (seconds_since(start) < 1e-3 * static_cast<double>(calls)) {
    }
  }};
  const auto times = measure({subject}, {.batch_seconds = 3.5e-3, .least = 2, .most = 2})[0];
  for (const double time : times) EXPECT_GE(time, 1e-3);
  ASSERT_GE(batches.size(), 3u);
  EXPECT_EQ(batches[0], 1);
  EXPECT_EQ(batches[1], 1);
  EXPECT_LE(batches.back(), 4);
  EXPECT_EQ(batches.back(), batches[batches.size() - 2]);  // the next round has as many calls
}

}  // namespace
}  // namespace patchbay::tools

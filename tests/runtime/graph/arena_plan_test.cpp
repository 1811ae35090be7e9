// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where a graph's temporaries lie: without overlap, in little memory, found in few steps.
#include "core/runtime/graph/arena_plan.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace patchbay::runtime {
namespace {

using Intervals = std::vector<Interval>;

/// Temporaries of `num` operations, each in use for a few steps, some for very many.
Intervals temporaries(std::size_t num, unsigned seed) {
  std::mt19937 engine(seed);
  Intervals intervals;
  for (std::size_t i = 0; i < num; ++i) {
    const std::size_t steps = engine() % 50 == 0 ? engine() % num : engine() % 4;
    const std::size_t size = 256 * (1 + engine() % 16);
    intervals.push_back({static_cast<std::uint32_t>(i), size, i, std::min(i + steps, num), 0});
  }
  return intervals;
}

bool meet(const Interval& a, const Interval& b) {
  return a.last >= b.first && b.last >= a.first && a.offset < b.offset + b.size_bytes &&
         b.offset < a.offset + a.size_bytes;
}

/// Looks at each step at what is in use then.
void expect_apart(const Intervals& intervals, std::size_t end) {
  Intervals by_first = intervals;
  std::sort(by_first.begin(), by_first.end(),
            [](const Interval& a, const Interval& b) { return a.first < b.first; });
  std::multimap<std::size_t, Interval> in_use;  // by the last step
  for (const Interval& each : by_first) {
    in_use.erase(in_use.begin(), in_use.lower_bound(each.first));
    for (const auto& [last, other] : in_use) ASSERT_FALSE(meet(each, other)) << each.buffer;
    ASSERT_LE(each.offset + each.size_bytes, end);
    in_use.emplace(each.last, each);
  }
}

/// The largest first, each at the lowest offset that is free while it is in use: what the plan is
/// compared with. Takes quadratic time.
std::size_t plain_end(Intervals intervals) {
  std::stable_sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
    return a.size_bytes > b.size_bytes;
  });
  std::size_t end = 0;
  Intervals placed;
  for (Interval& each : intervals) {
    each.offset = 0;
    for (const Interval& other : placed) {  // by offset
      if (other.last < each.first || each.last < other.first) continue;
      if (each.offset + each.size_bytes <= other.offset) break;
      each.offset = std::max(each.offset, other.offset + other.size_bytes);
    }
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), each,
                         [](const Interval& a, const Interval& b) { return a.offset < b.offset; }),
        each);
    end = std::max(end, each.offset + each.size_bytes);
  }
  return end;
}

TEST(ArenaPlan, TakesTheMemoryOfThePlainSearch) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Intervals intervals = temporaries(10 + 40 * seed, seed);
    const std::size_t end = place(intervals);
    EXPECT_EQ(end, plain_end(intervals)) << seed;
    expect_apart(intervals, end);
  }
}

TEST(ArenaPlan, OfNothingIsEmpty) {
  Intervals none;
  EXPECT_EQ(place(none), 0u);
}

/// A chain, as most programs are: ten times the operations take ten times the steps.
TEST(ArenaPlan, TakesStepsInProportion) {
  const auto steps_for = [](std::size_t num) {
    Intervals intervals;
    for (std::size_t i = 0; i < num; ++i) {
      intervals.push_back({static_cast<std::uint32_t>(i), 256 * (1 + i % 7), i, i + 2, 0});
    }
    std::uint64_t num_steps = 0;
    const std::size_t end = place(intervals, &num_steps);
    expect_apart(intervals, end);
    EXPECT_LE(end, 256u * 7 * 6);
    return num_steps;
  };
  const std::uint64_t few = steps_for(10'000), many = steps_for(100'000);
  EXPECT_LE(many, 12 * few);
}

/// Forward keeps temporaries for backward, among others that end soon.
Intervals training(std::size_t num, unsigned seed) {
  std::mt19937 engine(seed);
  Intervals intervals;
  for (std::size_t i = 0; i < num; ++i) {
    const bool is_kept = i < num / 2 && engine() % 3 == 0;
    const std::size_t layer = std::min(i, num - 1 - i);
    const std::size_t size = 256 * (1 + layer % (2 + seed % 7) * 37);
    intervals.push_back(
        {static_cast<std::uint32_t>(i), size, i, is_kept ? num - 1 - i : i + 1 + engine() % 2, 0});
  }
  return intervals;
}

TEST(ArenaPlan, OfManyIsHardlyLarger) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    for (Intervals intervals : {training(6000, seed), temporaries(6000, seed)}) {
      const std::size_t plain = plain_end(intervals), end = place(intervals);
      EXPECT_LE(static_cast<double>(end), 1.05 * static_cast<double>(plain)) << seed;
    }
  }
}

TEST(ArenaPlan, TakesStepsInProportionInTraining) {
  const auto steps_for = [](std::size_t num) {
    Intervals intervals = training(num, 3);
    std::uint64_t num_steps = 0;
    const std::size_t end = place(intervals, &num_steps);
    EXPECT_GE(end, intervals[0].size_bytes);
    return num_steps;
  };
  EXPECT_LE(steps_for(1'000'000), 12 * steps_for(100'000));
}

/// All are in use at once. Beyond a number of steps a simpler order is taken.
TEST(ArenaPlan, IsBoundedWhereAllAreInUseAtOnce) {
  Intervals intervals;
  constexpr std::size_t kNum = 50'000;
  for (std::size_t i = 0; i < kNum; ++i) {
    intervals.push_back({static_cast<std::uint32_t>(i), 256, i, kNum + i, 0});
  }
  std::uint64_t num_steps = 0;
  EXPECT_EQ(place(intervals, &num_steps), 256 * kNum);
  EXPECT_LE(num_steps, 100'000'000u);
}

}  // namespace
}  // namespace patchbay::runtime

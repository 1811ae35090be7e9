// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies that the host makes, which several threads share if they are large.
#include "support/child.h"
#include "support/runtime_fixture.h"
#include "support/threads.h"

namespace patchbay::test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

Bytes pattern(std::size_t size, unsigned seed) {
  Bytes bytes(size);
  std::uint32_t state = seed * 2654435761u + 1;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

/// Copies to the device and back, with odd places at both ends.
void expect_round_trip(const Device& device, std::size_t size, unsigned seed) {
  constexpr std::size_t kMargin = 67;
  const Bytes sent = pattern(size, seed);
  const Buffer buffer = Buffer::allocate(device, size + 2 * kMargin);
  const Bytes zeros(size + 2 * kMargin);
  copy_from_host({buffer, 0, zeros.size()}, zeros.data());
  copy_from_host({buffer, kMargin, size}, sent.data());
  Bytes back(size + 2 * kMargin, 1);
  copy_to_host(back.data(), {buffer, 0, back.size()});
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), back.begin() + kMargin)) << size;
  for (std::size_t i = 0; i < kMargin; ++i) {
    ASSERT_EQ(back[i], 0) << size;
    ASSERT_EQ(back[kMargin + size + i], 0) << size;
  }
}

TEST(HostCopy, MovesEveryByte) {
  for (const char* threads : {"1", "2", "5"}) {
    const Device device = Runtime(options({{"copy_threads", threads}})).device("cpu:0");
    for (const std::size_t size : {std::size_t{1}, 4 * kMiB - 1, 4 * kMiB, 4 * kMiB + 1,
                                   5 * kMiB - 63, 7 * kMiB + 17, 13 * kMiB + 1}) {
      expect_round_trip(device, size, static_cast<unsigned>(size));
    }
  }
}

TEST(HostCopy, MayRunInManyThreads) {
  const Device device = Runtime(options({{"copy_threads", "3"}})).device("cpu:0");
  on_threads(6, [&device](unsigned seed) {
    for (unsigned round = 0; round < 5; ++round) {
      expect_round_trip(device, 4 * kMiB + 5 * seed + round, seed);
    }
  });
}

TEST(HostCopy, UsesTheThreadsThatAreLent) {
  std::atomic<int> bodies{0};
  RuntimeOptions lending = options();
  lending.thread_pool = {3, [&bodies](std::size_t n, const auto& body) {
                           for (std::size_t i = n; i-- > 0;) body(i), ++bodies;
                         }};
  const Device device = Runtime(lending).device("cpu:0");
  const Bytes sent = pattern(8 * kMiB, 1);
  const Buffer buffer = Buffer::allocate(device, sent.size());
  bodies = 0;
  copy_from_host({buffer, 0, 4 * kMiB - 1}, sent.data());
  EXPECT_EQ(bodies.load(), 0);  // a small one
  copy_from_host({buffer, 0, sent.size()}, sent.data());
  EXPECT_EQ(bodies.load(), 16);
  Bytes back(sent.size());
  copy_to_host(back.data(), {buffer, 0, back.size()});
  EXPECT_EQ(back, sent);
}

/// A pageable leg of a staged copy has chunks that are shared.
TEST(HostCopy, MakesLegsOfStagedCopies) {
  const Runtime runtime(options({{"copy_threads", "2"}, {"fake_pageable_blocks", "1"}}));
  const Device host = runtime.device("cpu:0"), device = runtime.device("fake:0");
  const CopyPlan plan = plan_copy(host, device, 64 * kMiB, /*non_blocking=*/true);
  EXPECT_EQ(plan.route, Route::kStaged);
  EXPECT_EQ(plan.chunk_bytes, 4 * kMiB);
  const Tensor source = arange(0, 5'000'001, 1, {DType::i32, host});
  const Tensor there = source.to(device, {.non_blocking = true});
  const Tensor back = there.to(host, {.non_blocking = true});
  EXPECT_EQ(back.to_vector<std::int32_t>(), source.to_vector<std::int32_t>());
  const Runtime alone(options({{"copy_threads", "1"}, {"fake_pageable_blocks", "1"}}));
  EXPECT_EQ(plan_copy(alone.device("cpu:0"), alone.device("fake:0"), 64 * kMiB, true).chunk_bytes,
            kMiB);
}

TEST(HostCopy, NumberOfThreadsIsChecked) {
  for (const char* value : {"0", "65", "two", "2x", "-1"}) {
    EXPECT_INVALID(Runtime(options({{"copy_threads", value}})),
                   "[Runtime] bad setting 'copy_threads': expected 1 to 64, got '" +
                       std::string(value) +
                       "'. Correct PATCHBAY_COPY_THREADS or RuntimeOptions::settings.");
  }
}

/// The runtime's threads stay with the parent.
TEST(HostCopy, WorksInAForkedProcess) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer ends a forked process that starts threads";
#endif
  const Runtime parent(options({{"copy_threads", "2"}}));
  expect_round_trip(parent.device("cpu:0"), 4 * kMiB, 1);
  EXPECT_EQ(answer_of([] {
              const Runtime runtime(options({{"copy_threads", "2"}}));
              expect_round_trip(runtime.device("cpu:0"), 4 * kMiB, 2);
              return std::string(testing::Test::HasFailure() ? "differs" : "works");
            }),
            "works");
}

}  // namespace
}  // namespace patchbay::test

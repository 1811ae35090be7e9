// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies between pageable host memory and a device that blocks on it.
#include "support/attempts.h"
#include "support/runtime_fixture.h"

namespace patchbay::test {
namespace {
using std::chrono::milliseconds;

/// The fake device blocks on copies of pageable memory, each of which takes a while.
class PageableCopy : public testing::Test {
 protected:
  static constexpr milliseconds kDelay{300};

  /// Of the first copy between the two.
  std::string route_of(const std::string& from, const std::string& to) const {
    for (const LedgerEntry& entry : runtime_.ledger().entries()) {
      if (entry.from == from && entry.to == to) return std::string(to_string(entry.route));
    }
    return "no copy";
  }

  const Runtime runtime_{
      options({{"fake_pageable_blocks", "1"}, {"fake_delay_ms", std::to_string(kDelay.count())}})};
  const Device host_ = runtime_.device("cpu:0"), device_ = runtime_.device("fake:0");
};

TEST_F(PageableCopy, ThePropertiesSayIt) {
  EXPECT_TRUE(device_.properties().pageable_copies_block);
  EXPECT_FALSE(host_.properties().pageable_copies_block);
  EXPECT_FALSE(Runtime(options()).device("fake:0").properties().pageable_copies_block);
}

TEST_F(PageableCopy, ThatReturnsAtOnceGoesThroughPinnedMemory) {
  const Tensor source = arange(0, 1000, 1, {DType::f32, host_});
  Tensor there, back;
  EXPECT_TRUE(
      returns_within(kDelay / 2, [&] { there = source.to(device_, {.non_blocking = true}); }));
  EXPECT_TRUE(returns_within(kDelay / 2, [&] { back = there.to(host_, {.non_blocking = true}); }));
  EXPECT_EQ(back.to_vector<float>(), source.to_vector<float>());
  EXPECT_EQ(route_of("cpu:0", "fake:0"), "staged");
  EXPECT_EQ(route_of("fake:0", "cpu:0"), "staged");
}

TEST_F(PageableCopy, ThatWaitsAnywayGoesStraight) {
  const Tensor source = arange(0, 1000, 1, {DType::f32, host_}), there = source.to(device_);
  EXPECT_EQ(there.to(host_).to_vector<float>(), source.to_vector<float>());
  EXPECT_EQ(route_of("cpu:0", "fake:0"), "host to device");
  EXPECT_EQ(route_of("fake:0", "cpu:0"), "device to host");
}

/// A driver copies pageable memory with one thread.
TEST(SharedPageableCopy, OfEightMebibytesIsStagedThoughItWaits) {
  const Runtime runtime(options({{"fake_pageable_blocks", "1"}, {"copy_threads", "2"}}));
  const Runtime alone(options({{"fake_pageable_blocks", "1"}, {"copy_threads", "1"}}));
  constexpr std::size_t kLeast = std::size_t{8} << 20;
  const auto plan = [](const Runtime& of, const char* from, const char* to, std::size_t bytes) {
    return plan_copy(of.device(from), of.device(to), bytes);
  };
  for (const auto& [from, to] : {std::pair{"cpu:0", "fake:0"}, {"fake:0", "cpu:0"}}) {
    const CopyPlan shared = plan(runtime, from, to, kLeast);
    EXPECT_EQ(to_string(shared.route), "staged");
    EXPECT_EQ(shared.reason, "threads share the copies of pageable memory");
    EXPECT_EQ(shared.chunks, 2u);
    EXPECT_NE(to_string(plan(runtime, from, to, kLeast - 1).route), "staged");
    EXPECT_NE(to_string(plan(alone, from, to, kLeast).route), "staged");
  }
  const Device host = runtime.device("cpu:0"), device = runtime.device("fake:0");
  const Tensor source = arange(0, 2'500'000, 1, {DType::i32, host});
  const Tensor back = (source.to(device) + 1).to(host);
  EXPECT_EQ(back.to_vector<std::int32_t>(), (source + 1).to_vector<std::int32_t>());
  const Tensor square = source.slice(0, 0, 2'250'000).view({1500, 1500});
  const Tensor turned = zeros({1500, 1500}, {DType::i32, device});
  turned.t().copy_from(square);
  EXPECT_EQ(turned.t().to(host).to_vector<std::int32_t>(), square.to_vector<std::int32_t>());
  for (const LedgerEntry& entry : runtime.ledger().entries()) {
    if (entry.to == "host") continue;  // to_vector
    EXPECT_EQ(to_string(entry.route), "staged") << entry.from << " to " << entry.to;
  }
}

TEST_F(PageableCopy, OfMemoryThatTheDevicePinnedGoesStraight) {
  const Buffer pinned = Buffer::allocate(device_, 64, MemoryKind::kPinned);
  const Buffer target = Buffer::allocate(device_, 64);
  EXPECT_TRUE(returns_within(kDelay / 2, [&] { copy({target, 0, 64}, {pinned, 0, 64}, true); }));
  EXPECT_EQ(route_of("fake:0", "fake:0"), "host to device");
}

/// What another plugin pinned its driver does not know.
TEST_F(PageableCopy, OfMemoryThatAnotherDevicePinnedIsStaged) {
  const Buffer pinned = Buffer::allocate(host_, 64, MemoryKind::kPinned);
  const Buffer target = Buffer::allocate(device_, 64);
  EXPECT_TRUE(returns_within(kDelay / 2, [&] { copy({target, 0, 64}, {pinned, 0, 64}, true); }));
  EXPECT_EQ(route_of("cpu:0", "fake:0"), "staged");
}

TEST_F(PageableCopy, ThePlanSaysTheRouteAndWhy) {
  const CopyPlan waits = plan_copy(host_, device_, 3u << 20);
  EXPECT_EQ(to_string(waits.route), "host to device");
  EXPECT_EQ(waits.reason, "the host can address the source");
  const CopyPlan plan = plan_copy(host_, device_, 3u << 20, /*non_blocking=*/true);
  EXPECT_EQ(to_string(plan.route), "staged");
  EXPECT_EQ(plan.reason, "copies of pageable memory would block");
  // The size of a chunk depends on how many cores copy: 1 MiB with two, at most half of the bytes.
  EXPECT_GE(plan.chunks, 2u);
  EXPECT_EQ(plan.chunks, ((3u << 20) + plan.chunk_bytes - 1) / plan.chunk_bytes);
  ASSERT_EQ(plan.legs.size(), 2u);
  EXPECT_EQ(plan.legs[0].to, "host");
  EXPECT_EQ(plan_copy(device_, host_, 64, true).reason, plan.reason);
  // Copies of the caller's own memory wait, whatever is asked for.
  EXPECT_EQ(to_string(plan_copy(Endpoint::host(), device_, 64, true).route), "host to device");
}

TEST(PageableCopyValues, OfEverySizeAndLayoutArrive) {
  const Runtime runtime(options({{"fake_pageable_blocks", "1"}, {"fake_late_us", "300"}}));
  const Device host = runtime.device("cpu:0"), device = runtime.device("fake:0");
  for (const std::int64_t size : {1, 1000, 70'000, 300'001, 9'000'001}) {
    const Tensor source = arange(0, static_cast<double>(size), 1, {DType::i32, host});
    const Tensor there = source.to(device, {.non_blocking = true});
    const Tensor back = (there + 1).to(host, {.non_blocking = true});
    EXPECT_EQ(back.to_vector<std::int32_t>(), (source + 1).to_vector<std::int32_t>()) << size;
  }
  const Tensor square = arange(0, 9, 1, {DType::f32, host}).view({3, 3});
  const Tensor there = zeros({3, 3}, device);
  there.t().copy_from(square, /*non_blocking=*/true);
  EXPECT_EQ(there.to_vector<float>(), (Floats{0, 3, 6, 1, 4, 7, 2, 5, 8}));
  EXPECT_EQ(there.t().to(host, {.non_blocking = true}).to_vector<float>(),
            square.to_vector<float>());
  const Tensor overwritten = full({100'000}, 1, host);
  const Tensor copied = overwritten.to(device, {.non_blocking = true});
  overwritten.fill_(2);
  EXPECT_EQ(copied.to_vector<float>(), Floats(100'000, 1)) << "the source was written too early";
}

}  // namespace
}  // namespace patchbay::test

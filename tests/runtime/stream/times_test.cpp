// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "support/attempts.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

using namespace std::chrono_literals;
using Kind = SubmissionTime::Kind;

PATCHBAY_DEVICE_TESTS(TimesOn);

TEST_P(TimesOn, EachLaunchAndCopyHasOne) {
  const Stream stream(device_, {.times = true});
  const Buffer from = Buffer::allocate(device_, 4096), to = Buffer::allocate(device_, 4096);
  const Tensor a = ones({1000}, device_);
  {
    const StreamScope scope(stream);
    static_cast<void>(a + 1);
    copy({to, 0, 4096}, {from, 0, 4096}, /*non_blocking=*/true);
    static_cast<void>(exp(a));
  }
  stream.synchronize();
  const std::vector<SubmissionTime> times = stream.take_times();
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].name, "add");
  EXPECT_EQ(times[0].kind, Kind::kLaunch);
  EXPECT_EQ(times[0].size_bytes, 0u);
  EXPECT_EQ(times[1].name, "copy");
  EXPECT_EQ(times[1].kind, Kind::kCopy);
  EXPECT_EQ(times[1].size_bytes, 4096u);
  EXPECT_EQ(times[2].name, "exp");
  auto previous_end = 0ns;
  for (const SubmissionTime& time : times) {
    // Clocks of devices have steps of up to a microsecond.
    EXPECT_GE(time.start + 2us, previous_end) << "in order, one after the other";
    EXPECT_GE(time.duration, 0ns);
    previous_end = time.start + time.duration;
  }
  EXPECT_TRUE(stream.take_times().empty()) << "each is given once";
}

TEST_P(TimesOn, StreamsWithoutTimesSaySo) {
  EXPECT_ERROR(Stream(device_).take_times(), kUnsupported,
               "[take_times] the stream was made without times (" + device_.name() +
                   "). Make it with Stream(device, {.times = true}).");
  EXPECT_ERROR(device_.default_stream().take_times(), kUnsupported, "without times");
}

TEST(Times, AreAtLeastWhatTheWorkTakes) {
  const Device device = Runtime(options({{"fake_delay_ms", "5"}})).device("fake:0");
  const Tensor a = ones({4}, device);
  const Stream stream(device, {.times = true});
  {
    const StreamScope scope(stream);
    static_cast<void>(a + 1);
    static_cast<void>(a + 2);
  }
  stream.synchronize();
  const std::vector<SubmissionTime> times = stream.take_times();
  ASSERT_EQ(times.size(), 2u);
  EXPECT_GE(times[0].duration, 5ms);
  EXPECT_GE(times[1].duration, 5ms);
  EXPECT_GE(times[1].start, times[0].start + times[0].duration);
}

TEST(Times, WhatIsUnderWayComesLater) {
  const Device device = Runtime(options({{"fake_delay_ms", "20"}})).device("fake:0");
  const Tensor a = ones({4}, device);
  device.synchronize();
  const Stream stream(device, {.times = true});
  const StreamScope scope(stream);
  std::size_t num_early = 0;
  EXPECT_TRUE(returns_within(100ms, [&] {  // five additions take as long
    stream.synchronize();
    static_cast<void>(stream.take_times());
    for (int i = 0; i < 5; ++i) static_cast<void>(a + 1);
    num_early = stream.take_times().size();
  }));
  EXPECT_LT(num_early, 5u);
  stream.synchronize();
  EXPECT_EQ(num_early + stream.take_times().size(), 5u);
}

TEST(Times, FailedWorkHasNone) {
  const Device device = Runtime(options({{"fake_fail_async_launch", "3"}})).device("fake:0");
  const Tensor a = ones({4}, device);
  const Stream stream(device, {.times = true});
  const StreamScope scope(stream);
  static_cast<void>(a + 1);
  stream.synchronize();
  static_cast<void>(a * 2);
  EXPECT_ERROR(stream.synchronize(), kLaunchFailed, "[mul]");
  const std::vector<SubmissionTime> times = stream.take_times();
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].name, "add");
  stream.reset();
  static_cast<void>(a - 1);
  stream.synchronize();
  const std::vector<SubmissionTime> later = stream.take_times();
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later[0].name, "sub");
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Launches that fail after their call has returned: who learns of it, in which words, and what goes
// on.
#include "support/runtime_fixture.h"

namespace patchbay::test {
namespace {

using namespace std::chrono_literals;
using Settings = std::map<std::string, std::string>;

/// The n-th launch fails: those of `ones` and `zeros` count.
class Fault : public testing::Test {
 protected:
  static Settings failing(const char* launch) { return {{"fake_fail_async_launch", launch}}; }
  static constexpr const char* kCause =
      "launch of mul failed, as the setting fake_fail_async_launch asks (launched by [mul] on "
      "fake:0). ";
};

TEST_F(Fault, EveryCallNamesTheOrigin) {
  const Device device = Runtime(options(failing("2"))).device("fake:0");
  const Tensor a = ones({4}, device), b = a * 2, c = b + 1;
  const std::string stream_says =
      std::string(kCause) + "The stream takes no more work until Stream::reset().";
  EXPECT_ERROR(c.to_vector<float>(), kLaunchFailed, "[to_vector] " + stream_says);
  EXPECT_ERROR(device.synchronize(), kLaunchFailed, "[synchronize] " + stream_says);
  EXPECT_ERROR(a - 1, kLaunchFailed, "[sub] " + stream_says);
  EXPECT_ERROR(device.default_stream().record(), kLaunchFailed, "[record] " + stream_says);
  EXPECT_ERROR(zeros({2}, device), kLaunchFailed, stream_says);
}

TEST_F(Fault, CallsOnOtherStreamsHaveTheirOwnNames) {
  const Device device = Runtime(options(failing("3"))).device("fake:0");
  const Tensor a = ones({4}, device), b = ones({4}, device);
  device.synchronize();
  const Stream stream(device);
  Tensor late;
  {
    const StreamScope scope(stream);
    static_cast<void>(a * 2);
    const Event failed = stream.record();
    late = a + b;
    EXPECT_ERROR(failed.wait(), kLaunchFailed, kCause);
  }
  EXPECT_ERROR(late + 1, kLaunchFailed, std::string("[add] ") + kCause);
  EXPECT_ERROR(late.to_vector<float>(), kLaunchFailed, std::string("[to_vector] ") + kCause);
}

TEST_F(Fault, SynchronizeWaitsForEveryStream) {
  Settings settings = failing("2");
  settings["fake_delay_ms"] = "20";
  const Device device = Runtime(options(settings)).device("fake:0");
  const Tensor a = ones({4}, device);
  device.synchronize();
  const Tensor failed = a * 2;
  const Stream stream(device);
  on_stream(stream, [&] {
    for (int i = 0; i < 4; ++i) static_cast<void>(a + 1);
  });
  const Event last = stream.record();
  EXPECT_ERROR(device.synchronize(), kLaunchFailed, kCause);
  EXPECT_TRUE(last.is_done());
}

TEST_F(Fault, ResetLetsTheStreamGoOn) {
  const Runtime runtime(options(failing("2")));
  const Device device = runtime.device("fake:0");
  const Stream stream = device.default_stream();
  const Tensor a = ones({4}, device);
  stream.synchronize();  // from here on a is known to be sound
  const Tensor b = a * 2, c = b + 1;
  EXPECT_ERROR(stream.synchronize(), kLaunchFailed, kCause);
  stream.reset();
  EXPECT_EQ((a + 1).to_vector<float>(), Floats(4, 2));
  EXPECT_EQ(stream, device.default_stream());
  // What was lost stays lost until it is written whole.
  const std::string memory_says =
      std::string(kCause) +
      "What it was to write is lost until all of that memory is written again.";
  EXPECT_ERROR(b.to_vector<float>(), kLaunchFailed, "[to_vector] " + memory_says);
  EXPECT_ERROR(a + b, kLaunchFailed, "[add] " + memory_says);
  EXPECT_ERROR(b += 1, kLaunchFailed, memory_says);
  EXPECT_ERROR(b.to(runtime.device("cpu:0")), kLaunchFailed, memory_says);
  EXPECT_ERROR(c.buffer().wait(), kLaunchFailed, memory_says);
  b.slice(0, 0, 2).fill_(7);
  EXPECT_ERROR(b.to_vector<float>(), kLaunchFailed, memory_says);  // half is lost
  b.fill_(7);
  EXPECT_EQ(b.to_vector<float>(), Floats(4, 7));
  c.copy_from(a);
  EXPECT_EQ(c.to_vector<float>(), Floats(4, 1));
}

// What a failed stream was still to do to a block is not the next owner's business.
TEST_F(Fault, TheNextOwnerOfTheMemoryIsSound) {
  for (const bool staged : {false, true}) {
    Settings settings = failing("2");
    settings["fake_peer"] = "0";
    const Runtime runtime(options(settings));
    const Device device = runtime.device("fake:0"), other = runtime.device("fake:1");
    const Floats values(4, 3);
    Tensor used = ones({4}, device);
    device.synchronize();
    const Stream stream(device);
    {
      const StreamScope scope(stream);
      Tensor failed = used * 2;
      const Event event = stream.record();
      used.fill_(5);
      EXPECT_ERROR(event.wait(), kLaunchFailed, kCause);
      failed = Tensor();
      used = Tensor();  // whose block the next buffer has
    }
    const Buffer next = Buffer::allocate(device, 16), there = Buffer::allocate(other, 16);
    const BufferRange to{next, 0, 16}, by{there, 0, 16};
    copy_from_host(staged ? by : to, values.data());
    if (staged) copy(to, by);
    Floats seen(4);
    copy_to_host(seen.data(), to);
    EXPECT_EQ(seen, values) << "staged: " << staged;
    EXPECT_EQ(device.memory().num_driver_allocations, 1u) << "the same segment";
  }
}

// That the driver can't say how far a stream has come does not mean that it is done.
TEST_F(Fault, WithoutAnEventMemoryIsNotTakenForUnused) {
  const Device device =
      Runtime(options({{"fake_fail_create_event", "1-"}, {"fake_delay_ms", "30"}}))
          .device("fake:0");
  const Floats values(1 << 23, 3);
  Tensor used = ones({1 << 23}, device);
  device.synchronize();
  const Stream stream(device);
  {
    const StreamScope scope(stream);
    for (int i = 0; i < 6; ++i) used.fill_(5);  // longer than what comes beside it
    used = Tensor();                            // whose block the next buffer has
  }
  EXPECT_EQ(device.memory().live_bytes, 0u);  // asks the streams
  const Buffer next = Buffer::allocate(device, 1 << 25);
  copy_from_host({next, 0, 1 << 25}, values.data());
  stream.synchronize();
  Floats seen(1 << 23);
  copy_to_host(seen.data(), {next, 0, 1 << 25});
  EXPECT_EQ(seen[0], 3);
  EXPECT_EQ(device.memory().num_driver_allocations, 1u)
      << "the same block, for it fills its segment";
}

TEST_F(Fault, ResetFindsWhatNobodyKnewOf) {
  const Device device = Runtime(options(failing("2"))).device("fake:0");
  const Tensor a = ones({4}, device);
  device.synchronize();
  const Tensor b = a * 2;
  device.default_stream().reset();
  EXPECT_EQ((a * 3).to_vector<float>(), Floats(4, 3));
  EXPECT_ERROR(b.to_vector<float>(), kLaunchFailed, kCause);
}

// An event, or a wait that another thread began, may tell of the old failure after the reset.
TEST_F(Fault, WhatIsToldLateSpoilsNoStreamThatWasReset) {
  const Device device = Runtime(options(failing("2"))).device("fake:0");
  const Tensor a = ones({4}, device);
  device.synchronize();
  const Tensor b = a * 2;
  const Event event = device.default_stream().record();
  device.default_stream().reset();
  EXPECT_ERROR(event.wait(), kLaunchFailed, kCause);
  device.default_stream().synchronize();
  EXPECT_EQ((a * 3).to_vector<float>(), Floats(4, 3));
}

TEST_F(Fault, ResetOfASoundStreamChangesNothing) {
  const Runtime runtime(options());
  for (const char* name : {"fake:0", "cpu:0"}) {
    const Device device = runtime.device(name);
    const Tensor a = ones({4}, device) + 1;
    device.default_stream().reset();
    Stream(device).reset();
    EXPECT_EQ(a.to_vector<float>(), Floats(4, 2));
  }
}

TEST_F(Fault, EverythingElseGoesOn) {
  const Runtime runtime(options(failing("3")));
  const Device device = runtime.device("fake:0");
  const Tensor a = ones({4}, device), there = ones({4}, runtime.device("fake:1"));
  device.synchronize();
  const Stream failed(device), other(device);
  const Tensor lost = on_stream(failed, [&] { return a * 2; });
  EXPECT_ERROR(failed.synchronize(), kLaunchFailed, kCause);
  EXPECT_EQ((a + 1).to_vector<float>(), Floats(4, 2));
  EXPECT_EQ((there + 1).to_vector<float>(), Floats(4, 2));
  {
    const StreamScope scope(other);
    EXPECT_EQ((a + 2).to_vector<float>(), Floats(4, 3));
    EXPECT_ERROR(lost + 1, kLaunchFailed, kCause);
    lost.fill_(1);  // whole, on a stream that works
    EXPECT_EQ(lost.to_vector<float>(), Floats(4, 1));
  }
}

TEST_F(Fault, WhoWaitsForItTellsTheSame) {
  const Runtime runtime(options(failing("3")));
  const Device one = runtime.device("fake:0"), two = runtime.device("fake:1");
  const Tensor a = ones({4}, one), b = ones({4}, two);
  one.synchronize();
  two.synchronize();
  const Stream here(one), there(two);
  on_stream(here, [&] { return a * 2; });
  there.wait(here.record());
  on_stream(there, [&] { return b + 1; });
  EXPECT_ERROR(there.synchronize(), kLaunchFailed, kCause);
  EXPECT_ERROR(here.synchronize(), kLaunchFailed, kCause);
  there.reset();
  const StreamScope scope(there);
  EXPECT_EQ((b + 1).to_vector<float>(), Floats(4, 2));
}

// What never ends keeps no stream that waits for it, nor one that waits for that one.
TEST_F(Fault, WhoWaitsForAnEndlessLaunchCanGo) {
  const Runtime runtime(options({{"fake_endless_launch", "2"}}));
  const Device device = runtime.device("fake:0");
  const Tensor a = ones({4}, device), b = a + a;
  {
    const Stream first(device), second(runtime.device("fake:1"));
    on_stream(first, [&] { return b + 1; });
    second.wait(first.record());
    for (const Stream& stream : {first, second}) {
      EXPECT_ERROR(stream.synchronize(20ms), kTimedOut, "the deadline passed");
    }
  }
  EXPECT_ERROR(device.synchronize(5ms), kTimedOut, "(fake:0)");
}

TEST_F(Fault, WhoWaitsForWorkThatIsLateGoesAfterIt) {
  const Device device = Runtime(options({{"fake_delay_ms", "50"}})).device("fake:0");
  const Tensor a = ones({4}, device) + 1;
  Tensor b;
  {
    const Stream stream(device);
    const StreamScope scope(stream);
    b = a + 1;
  }
  EXPECT_EQ(b.to_vector<float>(), Floats(4, 3));
}

TEST_F(Fault, UnnamedFailuresListWhatTheyMayComeFrom) {
  const Device device =
      Runtime(options({{"fake_fail_async_launch", "4"}, {"fake_unnamed_faults", "1"}}))
          .device("fake:0");
  const Tensor a = ones({4}, device), b = neg(a);
  device.synchronize();  // these two are done
  const Tensor c = a + 1, d = c * 2, e = d + 1;
  EXPECT_ERROR(e.to_vector<float>(), kLaunchFailed,
               "a launch failed, as the setting fake_unnamed_faults asks (one of [add], [mul], "
               "[to_vector] launched on fake:0). The stream");
}

TEST_F(Fault, EventsThatAreDoneNarrowTheList) {
  const Device device =
      Runtime(options({{"fake_fail_async_launch", "3"}, {"fake_unnamed_faults", "1"}}))
          .device("fake:0");
  const Tensor a = ones({4}, device), b = a + 1;
  const Event event = device.default_stream().record();
  const Tensor c = b * 2;
  event.wait();
  EXPECT_ERROR(device.synchronize(), kLaunchFailed, "(launched by [mul] on fake:0). The stream");
  device.default_stream().reset();
  EXPECT_EQ(b.to_vector<float>(), Floats(4, 2)) << "the event vouches for it";
}

TEST_F(Fault, MemoryOfFailedWorkIsGivenBack) {
  const Device device = Runtime(options(failing("2"))).device("fake:0");
  const Tensor a = ones({1000}, device);
  device.synchronize();
  {
    const Tensor b = a * 2;
    EXPECT_THROW(device.synchronize(), Error);
  }
  device.default_stream().reset();
  const std::uint64_t live = device.memory().live_bytes;
  EXPECT_EQ(live, 4000u);
  const Tensor c = full({1000}, 5, device);  // may well be the same memory
  EXPECT_EQ(c.to_vector<float>(), Floats(1000, 5));
}

TEST_F(Fault, LostDevicesSayItInEveryCall) {
  const Runtime runtime(options({{"fake_lose_device", "3"}}));
  const Device device = runtime.device("fake:0"), other = runtime.device("fake:1");
  Tensor a = ones({4}, device);
  const Tensor there = ones({4}, other);
  const Stream stream(device);
  const Event event = stream.record();
  const std::string cause = "launch of mul lost the device";
  const auto expect_lost = [&](const auto& call) { EXPECT_ERROR(call(), kDeviceLost, cause); };
  expect_lost([&] { return a * 2; });
  expect_lost([&] { return a + 2; });
  expect_lost([&] { return a.to_vector<float>(); });
  expect_lost([&] { a.fill_(1); });
  expect_lost([&] { device.synchronize(); });
  expect_lost([&] { device.default_stream().reset(); });
  expect_lost([&] { stream.synchronize(); });
  expect_lost([&] { return stream.record(); });
  expect_lost([&] { event.wait(); });
  expect_lost([&] { return Stream(device); });
  expect_lost([&] { return Buffer::allocate(device, 1 << 26); });
  expect_lost([&] { return Buffer::allocate(device, 16); });
  EXPECT_EQ((there + 1).to_vector<float>(), Floats(4, 2));
  a = Tensor();  // releases succeed
  EXPECT_EQ(device.runtime().device("fake:1").name(), "fake:1");
}

}  // namespace
}  // namespace patchbay::test

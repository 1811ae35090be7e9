// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the fake device can be told to do: be late, reach some peers only, be slow, run for ever.
#include <cctype>

#include "support/kernels.h"
#include "support/runtime_fixture.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

using std::chrono::milliseconds;

Kernel fill_kernel(const Device& device) {
  return Kernel::prepare(device, test::fill_spec(DType::i32));
}

void fill(const Stream& stream, const Buffer& buffer, std::int32_t value) {
  const Shape shape{static_cast<std::int64_t>(buffer.size_bytes() / sizeof(value))};
  fill_kernel(buffer.device())
      .launch(stream,
              std::array{Argument::tensor(buffer, DType::i32, shape, Access::kWrite),
                         Argument::scalar(value)},
              "culprit");
}

std::int32_t first_value(const Buffer& buffer) {
  std::int32_t value = 0;
  copy_to_host(&value, {buffer, 0, sizeof(value)});
  return value;
}

// ------------------------------------------------------------------------------- settings

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return text;
}

void expect_refused(const std::string& setting, const std::string& value,
                    const std::string& reason) {
  const Error error = test::error_of([&] { fake_runtime({{setting, value}}); });
  EXPECT_EQ(error.code(), ErrorCode::kPluginFailed);
  EXPECT_HAS(error.what(), "setting " + setting + " (PATCHBAY_" + upper(setting) + "): " + reason);
  EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
}

TEST(FakeSettings, BadOnesAreNamed) {
  expect_refused("fake_devices", "many", "expected a number, got 'many'");
  expect_refused("fake_seed", "-1", "expected a number, got '-1'");
  expect_refused("fake_late_us", "60000001", "expected at most 60000000, got '60000001'");
  expect_refused("fake_link_bytes_per_s", "1 GB", "expected a number, got '1 GB'");
  for (const char* bad : {"", "x", "3-2", "3-x", "1,2", "-3"}) {
    const auto reason = "expected a number, or several as '3-5' or '3-', got '";
    expect_refused("fake_out_of_memory", bad, reason + std::string(bad) + "'");
    expect_refused("fake_fail_copy", bad, reason + std::string(bad) + "'");
  }
  for (const char* bad : {"0", "0>", "0>1,", "0>2", "1>1", "0<1", "0>1 1>0"}) {
    expect_refused("fake_peers", bad,
                   "expected pairs of the 2 devices, as '0>1,1>0', got '" + std::string(bad) + "'");
  }
}

TEST(FakeSettings, SeveralCallsInARowFail) {
  const Runtime runtime = fake_runtime({{"fake_fail_copy", "2-3"}});
  const Buffer buffer = Buffer::allocate(runtime.device("fake"), 4);
  const std::int32_t value = 7;
  const auto send = [&] { copy_from_host({buffer, 0, 4}, &value); };
  send();
  EXPECT_ERROR(send(), kLaunchFailed, "copy number 2 fails");
  EXPECT_ERROR(send(), kLaunchFailed, "copy number 3 fails");
  EXPECT_EQ(first_value(buffer), value);
}

TEST(FakeSettings, AllFromOneOnFail) {
  const Device device = fake_runtime({{"fake_fail_launch", "2-"}}).device("fake");
  const Buffer buffer = Buffer::allocate(device, 4);
  fill(device.default_stream(), buffer, 1);
  for (int number = 2; number < 5; ++number) {
    EXPECT_ERROR(fill(device.default_stream(), buffer, 2), kLaunchFailed,
                 "launch number " + std::to_string(number) + " fails");
  }
  EXPECT_EQ(first_value(buffer), 1);
}

// ------------------------------------------------------------------------------- late queues

/// Held back for up to a minute each, half of them, unless somebody waits.
std::map<std::string, std::string> late(std::string seed = "1") {
  return {{"fake_late_us", "60000000"}, {"fake_seed", std::move(seed)}};
}

/// So many that some of them are surely held back.
void fill_often(const Stream& stream, const Buffer& buffer) {
  for (int i = 1; i <= 20; ++i) fill(stream, buffer, i);
}

TEST(FakeLateness, EndsWhenSomebodyWaits) {
  const Device device = fake_runtime(late()).device("fake");
  const Buffer buffer = Buffer::allocate(device, 4);
  const Stream stream(device);
  fill_often(stream, buffer);
  const Event event = stream.record();
  EXPECT_FALSE(event.is_done());
  event.wait();
  EXPECT_EQ(first_value(buffer), 20);
}

TEST(FakeLateness, OneStreamOvertakesAnother) {
  const Device device = fake_runtime(late()).device("fake");
  const Buffer a = Buffer::allocate(device, 4), b = Buffer::allocate(device, 4);
  const Stream first(device), second(device);
  fill_often(first, a);
  const Event event = first.record();
  fill_often(second, b);
  second.synchronize();
  EXPECT_FALSE(event.is_done()) << "submitted first, and done last";
  event.wait();
}

TEST(FakeLateness, WaitingForAStreamHurriesWhatItWaitsFor) {
  const Runtime runtime = fake_runtime(late());
  const Device device = runtime.device("fake:0");
  const Buffer buffer = Buffer::allocate(device, 4);
  const Stream first(device), second(runtime.device("fake:1"));
  fill_often(first, buffer);
  second.wait(first.record());
  second.synchronize();
  EXPECT_EQ(first_value(buffer), 20);
}

/// 20 launches by turns on two streams, each with a workspace that it fills, and looks at later.
void launch_by_turns(const Runtime& runtime) {
  const Device device = runtime.device("fake");
  const Buffer a = Buffer::allocate(device, 4), b = Buffer::allocate(device, 4);
  const Stream first(device), second(device);
  for (int i = 0; i < 10; ++i) {
    fill(first, a, i);
    fill(second, b, i);
  }
  second.synchronize();
  first.synchronize();
  EXPECT_EQ(first_value(a), 9);
  EXPECT_EQ(first_value(b), 9);
}

TEST(FakeLateness, StreamsShareNoWorkspaceAtATime) {
  auto settings = late();
  settings["fake_workspace_bytes"] = "100";
  for (int seed = 1; seed < 10; ++seed) {
    settings["fake_seed"] = std::to_string(seed);
    launch_by_turns(fake_runtime(settings));
  }
}

TEST(FakeLateness, DoneEventsAreNoticedLateAndAtLast) {
  const Runtime runtime = fake_runtime({{"fake_late_us", "1"}, {"fake_seed", "3"}});
  const Stream stream(runtime.device("fake"));
  int num_denied = 0;
  for (int i = 0; i < 30; ++i) {
    const Event event = stream.record();
    event.wait();
    int num_asked = 0;
    while (!event.is_done()) ASSERT_LT(++num_asked, 3);
    num_denied += num_asked;
  }
  EXPECT_GT(num_denied, 0);
}

TEST(FakeLateness, CopiesInPiecesAreWhole) {
  const Runtime runtime = fake_runtime({{"fake_late_us", "200"}, {"fake_seed", "5"}});
  const Device first = runtime.device("fake:0"), second = runtime.device("fake:1");
  std::vector<std::int32_t> values(999);
  std::iota(values.begin(), values.end(), 0);
  for (int i = 0; i < 20; ++i) {
    const Tensor there = from_host(values, {999}, first);
    const Tensor moved = there.clone().to(second, {.non_blocking = true});
    EXPECT_EQ(moved.to_vector<std::int32_t>(), values);
  }
}

TEST(FakeLateness, StreamsEndWithoutBeingWaitedFor) {
  const Device device = fake_runtime(late()).device("fake");
  const Buffer buffer = Buffer::allocate(device, 4);
  { fill_often(Stream(device), buffer); }
  fill_often(device.default_stream(), Buffer::allocate(device, 4));
}

// ------------------------------------------------------------------------------- links

TEST(FakePeers, GraphDecidesTheRoute) {
  const Runtime runtime = fake_runtime({{"fake_devices", "3"}, {"fake_peers", "0>1,1>2"}});
  const std::vector<std::int32_t> values = {1, 2, 3};
  for (int from = 0; from < 3; ++from) {
    const Device source = runtime.device("fake:" + std::to_string(from));
    EXPECT_EQ(source.properties().peer_access, from != 2);
    for (int to = 0; to < 3; ++to) {
      if (to == from) continue;
      const Device target = runtime.device("fake:" + std::to_string(to));
      const Route expected = to == from + 1 ? Route::kPeer : Route::kStaged;
      EXPECT_EQ(plan_copy(source, target, 12).route, expected) << from << " to " << to;
      const Tensor moved = from_host(values, {3}, source).to(target);
      EXPECT_EQ(moved.to_vector<std::int32_t>(), values);
    }
  }
}

TEST(FakePeers, NoneReachesAnyWhenTheListIsEmpty) {
  const Runtime runtime = fake_runtime({{"fake_peers", ""}});
  EXPECT_FALSE(runtime.device("fake:0").properties().peer_access);
  EXPECT_EQ(plan_copy(runtime.device("fake:0"), runtime.device("fake:1"), 1).route, Route::kStaged);
}

TEST(FakeLink, TakesTheTimeOfItsSpeed) {
  const Runtime runtime = fake_runtime({{"fake_link_bytes_per_s", "10000"}});
  const Buffer buffer = Buffer::allocate(runtime.device("fake"), 1000);
  const std::vector<char> values(1000);
  const auto start = std::chrono::steady_clock::now();
  copy_from_host({buffer, 0, 1000}, values.data());
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(100));
}

// ------------------------------------------------------------------------------- endless kernels

TEST(FakeEndlessKernel, WaitsEndAtTheirDeadlineAndNothingIsLost) {
  const Runtime runtime =
      fake_runtime({{"fake_endless_launch", "2"}, {"fake_endless_until_launch", "5"}});
  const Device device = runtime.device("fake:0");
  const Buffer buffer = Buffer::allocate(device, 4), other = Buffer::allocate(device, 4);
  const Stream stuck(device), free(device);
  fill(stuck, buffer, 1);
  fill(stuck, buffer, 2);
  const Event event = stuck.record();
  fill(stuck, buffer, 3);
  const auto waits = [&] {
    EXPECT_ERROR(event.wait(milliseconds(5)), kTimedOut, "[wait] the deadline passed");
    EXPECT_ERROR(stuck.synchronize(milliseconds(5)), kTimedOut,
                 "[synchronize] the deadline passed");
    EXPECT_ERROR(device.synchronize(milliseconds(5)), kTimedOut,
                 "[synchronize] the deadline passed");
    EXPECT_FALSE(event.is_done());
  };
  waits();
  fill(free, other, 4);
  free.synchronize();
  EXPECT_EQ(first_value(other), 4) << "other streams go on";
  waits();
  fill(free, other, 5);  // the fifth
  event.wait();
  stuck.synchronize();
  EXPECT_EQ(first_value(buffer), 3);
  EXPECT_EQ(first_value(other), 5);
  device.synchronize();
}

TEST(FakeEndlessKernel, EndsWithItsRuntime) {
  const Device device = fake_runtime({{"fake_endless_launch", "1"}}).device("fake");
  fill(device.default_stream(), Buffer::allocate(device, 4), 1);
  EXPECT_ERROR(device.synchronize(milliseconds(5)), kTimedOut, "fake:0");
}

TEST(FakeEndlessKernel, EndsWithItsStreamAndOthersSeeWhy) {
  const Device device = fake_runtime({{"fake_endless_launch", "1"}}).device("fake");
  const Stream other(device);
  {
    const Stream stuck(device);
    fill(stuck, Buffer::allocate(device, 4), 1);
    other.wait(stuck.record());
    EXPECT_ERROR(other.synchronize(milliseconds(5)), kTimedOut, "fake:0");
  }
  EXPECT_ERROR(other.synchronize(), kLaunchFailed, "launch of culprit had no end");
  const Buffer buffer = Buffer::allocate(device, 4);
  fill(device.default_stream(), buffer, 2);
  EXPECT_EQ(first_value(buffer), 2);
}

TEST(FakeEndlessKernel, EndsWhenItsDeviceIsLost) {
  const Device device =
      fake_runtime({{"fake_endless_launch", "1"}, {"fake_lose_device", "2"}}).device("fake");
  const Buffer buffer = Buffer::allocate(device, 4);
  const Stream stuck(device);
  fill(stuck, buffer, 1);
  EXPECT_ERROR(fill(device.default_stream(), buffer, 2), kDeviceLost, "lost the device");
  EXPECT_ERROR(stuck.synchronize(), kDeviceLost, "launch of culprit lost the device");
}

// ------------------------------------------------------------------------------- loss, later

TEST(FakeLoss, OfALaunchThatWasAccepted) {
  const Runtime runtime = fake_runtime({{"fake_lose_device_async", "1"}});
  const Device device = runtime.device("fake:0"), other = runtime.device("fake:1");
  const Buffer buffer = Buffer::allocate(device, 4), there = Buffer::allocate(other, 4);
  const Stream stream(device), waiting(other);
  fill(stream, buffer, 1);
  EXPECT_ERROR(stream.synchronize(), kDeviceLost, "launch of culprit lost the device");
  EXPECT_ERROR(fill(device.default_stream(), buffer, 2), kDeviceLost, "fake:0");
  fill(other.default_stream(), there, 3);
  EXPECT_EQ(first_value(there), 3);
}

// The other device has lost nothing but the work that waited.
TEST(FakeLoss, IsNoLossOfWhoWaitsForIt) {
  const Runtime runtime = fake_runtime({{"fake_endless_launch", "1"}, {"fake_lose_device", "2"}});
  const Device device = runtime.device("fake:0"), other = runtime.device("fake:1");
  const Buffer buffer = Buffer::allocate(device, 4);
  const Stream stream(device), waiting(other);
  fill(stream, buffer, 1);
  waiting.wait(stream.record());
  EXPECT_ERROR(fill(device.default_stream(), buffer, 2), kDeviceLost, "fake:0");
  EXPECT_ERROR(waiting.synchronize(), kLaunchFailed, "launch of culprit lost the device");
  const Buffer there = Buffer::allocate(other, 4);
  fill(other.default_stream(), there, 3);
  EXPECT_EQ(first_value(there), 3);
}

}  // namespace
}  // namespace patchbay::faults

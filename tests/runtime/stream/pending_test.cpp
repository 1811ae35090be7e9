// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Work that is still under way: whoever reads waits for it, and nothing else does.
#include "support/attempts.h"
#include "support/device_test.h"
#include "support/kernels.h"
#include "support/runtime_fixture.h"

namespace patchbay::test {
namespace {

/// Each launch and copy of the fake device takes this much longer.
class PendingTest : public testing::Test {
 protected:
  const Runtime runtime_{options({{"fake_delay_ms", "10"}})};
  const Device fake_ = runtime_.device("fake:0"), other_ = runtime_.device("fake:1");
  const Device cpu_ = runtime_.device("cpu:0");
};

TEST_F(PendingTest, OperationsReturnBeforeTheyAreDone) {
  const Tensor t = ones({4}, fake_);
  fake_.synchronize();
  float value = 1;
  EXPECT_TRUE(returns_within(std::chrono::milliseconds(80), [&] {
    for (int i = 0; i < 10; ++i) t += 1;
    value += 10;
  }));
  EXPECT_EQ(t.to_vector<float>(), Floats(4, value));
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) t += 1;
  fake_.synchronize();
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100));
}

TEST_F(PendingTest, TemporariesLiveAsLongAsTheWork) {
  Tensor sum = zeros({1000}, fake_);
  for (int i = 0; i < 5; ++i) sum = sum + full({1000}, i, fake_);
  EXPECT_EQ(sum.to_vector<float>(), Floats(1000, 10));
  sum = Tensor();
  fake_.synchronize();
  EXPECT_EQ(fake_.memory().live_bytes, 0u);
}

TEST_F(PendingTest, ReadsOfANonBlockingCopyWait) {
  const Tensor source = full({3}, 6, fake_), host = source.to(cpu_, {.non_blocking = true});
  EXPECT_EQ(host.data<float>()[2], 6);
  const Tensor again = source.to(cpu_, {.non_blocking = true});
  EXPECT_EQ((again + 1).to_vector<float>(), Floats(3, 7));
  const Tensor there = (source * 2).to(other_, {.non_blocking = true});
  EXPECT_EQ((there + 1).to_vector<float>(), Floats(3, 13));
}

/// A block that changes hands while its stream is behind bears one use of that stream, however
/// often it did: another stream that takes it waits for few events.
TEST(PendingMemory, BlocksBearTheLastUseOfEachStream) {
  const Device fake =
      Runtime(options(  // validation makes events of its own
                  {{"fake_delay_ms", "1"}, {"fake_fail_create_event", "4-"}, {"validate", "0"}}))
          .device("fake:0");
  Tensor sum = ones({4}, fake);
  for (int i = 0; i < 100; ++i) sum = sum + 1;
  const Stream side(fake);
  Tensor other;
  {
    const StreamScope scope(side);
    other = full({4}, 2, fake);
  }
  EXPECT_EQ(other.to_vector<float>(), Floats(4, 2));
  EXPECT_EQ(sum.to_vector<float>(), Floats(4, 101));
}

// What remains to be done after the way belongs to the copy: also its failure.
TEST(PendingHostTest, BlockingCopiesEndWithTheirLastKernel) {
  const Runtime runtime(options({{"fake_delay_ms", "10"}, {"fake_fail_async_launch", "2"}}));
  const Tensor destination = zeros({40, 30}, runtime.device("fake:0")).t();
  const Tensor source = ones({30, 40}, runtime.device("cpu:0"));
  EXPECT_ERROR(destination.copy_from(source), kLaunchFailed, "fake:0");
}

TEST_F(PendingTest, WritesWaitForReadsOnTheWay) {
  const Tensor source = full({1000}, 1, cpu_), there = empty({1000}, fake_);
  there.copy_from(source, true);
  source.fill_(2);  // after the copy has read it
  EXPECT_EQ(there.to_vector<float>(), Floats(1000, 1));
}

TEST_F(PendingTest, HostScalarsAreWaitedFor) {
  const Tensor scalar = full({}, 3, fake_).to(cpu_, {.non_blocking = true});
  EXPECT_EQ((ones({2}, fake_) * scalar).to_vector<float>(), Floats(2, 3));
}

TEST_F(PendingTest, PrintingAHostTensorWaits) {
  std::ostringstream out;
  out << full({2}, 4, fake_).to(cpu_, {.non_blocking = true});
  EXPECT_EQ(out.str(), "[4, 4]  f32 [2] on cpu:0");
}

TEST_F(PendingTest, ThreadsMayShareADevice) {
  const Tensor one = ones({64}, fake_);
  std::vector<Tensor> results(4);
  std::vector<std::thread> threads;
  for (Tensor& result : results) {
    threads.emplace_back([&one, &result] { result = (one + one) * 2 + one; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Tensor& result : results) EXPECT_EQ(result.to_vector<float>(), Floats(64, 5));
}

// ------------------------------------------------------------------
// Waits with a deadline: none passes where nothing is pending, and one that passes says what is.

using namespace std::chrono_literals;

PATCHBAY_DEVICE_TESTS(DeadlineOn);

TEST_P(DeadlineOn, NeverPassesOnAnIdleStream) {
  const Stream stream(device_);
  const Tensor a = ones({1000}, device_);
  device_.synchronize();
  for (int i = 0; i < 100; ++i) {
    stream.synchronize(0ns);
    stream.synchronize(1us);
    device_.synchronize(0ns);
  }
}

TEST_P(DeadlineOn, NeverPassesOnceTheWorkIsDone) {
  const Stream stream(device_);
  const Tensor a = ones({1000}, device_);
  for (int i = 0; i < 20; ++i) {
    const Tensor b = on_stream(stream, [&] { return a + 1; });
    EXPECT_EQ(b.to_vector<float>(), Floats(1000, 2));  // on the default stream, after `stream`
    stream.synchronize(0ns);
    device_.synchronize(0ns);
  }
}

TEST(Deadline, SaysWhatIsPending) {
  const Device device = Runtime(options({{"fake_endless_launch", "2"}})).device("fake:0");
  const Tensor a = ones({4}, device);
  device.synchronize();
  const Stream stuck(device), waiting(device);
  const StreamScope scope(stuck);
  const Tensor b = a + a;
  EXPECT_ERROR(stuck.synchronize(0ns), kTimedOut,
               "[synchronize] the deadline passed (fake:0): [add] is not done");
  const Event event = stuck.record();
  static_cast<void>(b * 2 + 1);
  EXPECT_ERROR(device.synchronize(1ms), kTimedOut, "(fake:0): [add], [mul] are not done. Nothing");
  EXPECT_ERROR(event.wait(1ms), kTimedOut,
               "[wait] the deadline passed (fake:0): [add] is not done. Nothing");
  waiting.wait(event);
  EXPECT_ERROR(waiting.synchronize(0ns), kTimedOut,
               "(fake:0): a wait for another stream is not done. Nothing");
}

// ------------------------------------------------------------------
// The setting `sync` (PATCHBAY_SYNC=1): each submission is waited for.

RuntimeOptions synchronous(std::map<std::string, std::string> settings) {
  settings["sync"] = "1";
  return options(std::move(settings));
}

TEST(Synchronous, ErrorsComeFromTheCallThatCausedThem) {
  const Device device = Runtime(synchronous({{"fake_fail_async_launch", "3"}})).device("fake:0");
  const Tensor a = ones({4}, device), b = a + 1;
  EXPECT_ERROR(b * 2, kLaunchFailed,
               "[mul] launch of mul failed, as the setting fake_fail_async_launch asks (launched "
               "by [mul] on fake:0). ");
}

TEST(Synchronous, NothingIsPendingAfterACall) {
  const Runtime runtime(synchronous({{"fake_delay_ms", "10"}}));
  const Device device = runtime.device("fake:0"), other = runtime.device("fake:1");
  const Tensor a = ones({4}, device);
  device.default_stream().synchronize(0ns);
  const Tensor b = a.to(other, {.non_blocking = true});
  device.default_stream().synchronize(0ns);
  other.default_stream().synchronize(0ns);
  const Stream stream(device);
  const StreamScope scope(stream);
  static_cast<void>(a + 1);
  stream.synchronize(0ns);
  const Kernel fill = Kernel::prepare(device, fill_spec());
  fill.launch(stream, std::vector{Argument::tensor(a.buffer(), DType::f32, {4}, Access::kWrite),
                                  Argument::scalar(2.0f)});
  stream.synchronize(0ns);
  EXPECT_EQ(a.to_vector<float>()[3], 2.0f);
}

TEST(Synchronous, SoAreStagedCopies) {
  const Runtime runtime(
      synchronous({{"fake_peer", "0"}, {"fake_delay_ms", "10"}, {"fake_fail_copy", "3"}}));
  const Device device = runtime.device("fake:0"), other = runtime.device("fake:1");
  const Tensor a = ones({4}, device);
  const Tensor b = a.to(other, {.non_blocking = true});  // two copies of the driver's
  EXPECT_ERROR(a.to(other, {.non_blocking = true}), kLaunchFailed, "copy number 3 fails");
}

TEST(Synchronous, BadSettingsAreRefused) {
  EXPECT_INVALID(Runtime(options({{"sync", "maybe"}})), "[Runtime] bad setting 'sync'",
                 "0 or 1, got 'maybe'. Correct PATCHBAY_SYNC or RuntimeOptions::settings.");
}

}  // namespace
}  // namespace patchbay::test

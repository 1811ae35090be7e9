// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Work that is still under way: whoever reads waits for it, and nothing else does.
#include <chrono>
#include <thread>
#include <vector>

#include <patchbay/ops.h>

#include "support/attempts.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;

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
  const Tensor source = full({3}, 6, fake_);
  const Tensor host = source.to(cpu_, {.non_blocking = true});
  EXPECT_EQ(host.data<float>()[2], 6);
  const Tensor again = source.to(cpu_, {.non_blocking = true});
  EXPECT_EQ((again + 1).to_vector<float>(), Floats(3, 7));
  const Tensor there = (source * 2).to(other_, {.non_blocking = true});
  EXPECT_EQ((there + 1).to_vector<float>(), Floats(3, 13));
}

/// A block that changes hands while its stream is behind bears one use of that stream, however
/// often it did: another stream that takes it waits for few events.
TEST(PendingMemory, BlocksBearTheLastUseOfEachStream) {
  const Runtime runtime(options(  // validation makes events of its own
      {{"fake_delay_ms", "1"}, {"fake_fail_create_event", "4-"}, {"validate", "0"}}));
  const Device fake = runtime.device("fake:0");
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
  EXPECT_ERROR(destination.copy_from(source), ErrorCode::kLaunchFailed, "fake:0");
}

TEST_F(PendingTest, WritesWaitForReadsOnTheWay) {
  const Tensor source = full({1000}, 1, cpu_);
  const Tensor there = empty({1000}, fake_);
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

}  // namespace
}  // namespace patchbay::test

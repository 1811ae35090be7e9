// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Streams that wait for events of another plugin: the host does it for them, at the next call.
#include <future>

#include "runtime/stream/gate.h"

namespace patchbay::test {
namespace {

using namespace std::chrono_literals;

class ForeignWait : public testing::Test {
 protected:
  ForeignWait() : large_(ones({kLarge}, cpu_)), small_(ones({4}, fake_)), worker_(cpu_) {}
  ~ForeignWait() override { gate_.open(); }

  /// An event of the CPU's that is not reached before the gate is opened.
  Event unreached() {
    gate_.close();
    const StreamScope scope(worker_);
    static_cast<void>(large_ + 1);
    return worker_.record();
  }

  Gate gate_;
  const Runtime runtime_{gated_options(gate_)};
  const Device cpu_ = runtime_.device("cpu:0"), fake_ = runtime_.device("fake:0");
  const Tensor large_, small_;
  const Stream worker_;
};

TEST_F(ForeignWait, IsMadeByTheNextSubmission) {
  const Stream stream(fake_);
  stream.wait(unreached());  // returns at once: nobody opens the gate
  std::thread opener([this] { gate_.open(); });
  const StreamScope scope(stream);
  const Tensor sum = small_ + 1;
  worker_.synchronize(0ns);  // it is over, or the sum would not have been submitted
  EXPECT_EQ(sum.to_vector<float>(), Floats(4, 2));
  opener.join();
}

TEST_F(ForeignWait, StaysAfterAResetOfAStreamThatHasNotFailed) {
  const Stream stream(fake_);
  stream.wait(unreached());
  stream.reset();
  std::thread opener([this] { gate_.open(); });
  const StreamScope scope(stream);
  const Tensor sum = small_ + 1;
  worker_.synchronize(0ns);
  EXPECT_EQ(sum.to_vector<float>(), Floats(4, 2));
  opener.join();
}

TEST_F(ForeignWait, HonoursDeadlines) {
  const Stream stream(fake_);
  stream.wait(unreached());
  EXPECT_ERROR(stream.synchronize(1ms), kTimedOut, "[synchronize]");
  EXPECT_ERROR(stream.synchronize(0ns), kTimedOut, "the deadline passed (cpu:0)");
  gate_.open();
  stream.synchronize();
  worker_.synchronize(0ns);
}

TEST(ForeignWaits, TellOfFailures) {
  const Runtime runtime(options({{"fake_fail_async_launch", "2"}}));
  const Device fake = runtime.device("fake:0"), cpu = runtime.device("cpu:0");
  const Tensor here = ones({4}, cpu), there = ones({4}, fake);
  static_cast<void>(there * 2);
  const Stream stream(cpu);
  stream.wait(fake.default_stream().record());
  const StreamScope scope(stream);
  EXPECT_ERROR(here + 1, kLaunchFailed, "launched by [mul] on fake:0");
  EXPECT_ERROR(stream.synchronize(), kLaunchFailed, "launched by [mul] on fake:0");
  stream.reset();
  EXPECT_EQ((here + 1).to_vector<float>(), Floats(4, 2));
}

// The default stream lives in the runtime: it must not keep the runtime by an event.
TEST(ForeignWaits, OfADefaultStreamKeepNothing) {
  std::weak_ptr<int> alive;
  {
    RuntimeOptions chosen = options({{"cpu_devices", "1"}});
    auto held = std::make_shared<int>();
    alive = held;
    chosen.thread_pool = {1, [held](std::size_t n, const std::function<void(std::size_t)>& body) {
                            for (std::size_t i = 0; i < n; ++i) body(i);
                          }};
    Runtime runtime(chosen);
    held.reset();
    const Device fake = runtime.device("fake:0"), cpu = runtime.device("cpu:0");
    fake.default_stream().wait(Stream(cpu).record());
  }
  EXPECT_TRUE(alive.expired());
}

TEST(ForeignWaits, OfADefaultStreamDoNotHoldAPlugin) {
  Runtime runtime(options({{"cpu_devices", "1"}}));
  {
    const Device fake = runtime.device("fake:0"), cpu = runtime.device("cpu:0");
    fake.default_stream().wait(Stream(cpu).record());
  }
  runtime.unload("cpu-openblas");
  runtime.device("fake:0").default_stream().synchronize();
}

// The failure elsewhere says nothing of the stream's own work, which still reads the memory.
TEST(ForeignWaits, ThatFailedDoNotGiveLentMemoryBackEarly) {
  std::promise<void> dropping;
  Gate gate;
  std::atomic<bool> has_run = false, had_run = false;
  RuntimeOptions chosen = options({{"cpu_devices", "1"}, {"fake_fail_async_launch", "2"}});
  chosen.thread_pool = {2, [&](std::size_t n, const std::function<void(std::size_t)>& body) {
                          gate.pass();
                          for (std::size_t i = 0; i < n; ++i) body(i);
                          has_run = true;
                        }};
  const Device fake = Runtime(chosen).device("fake:0"), cpu = fake.runtime().device("cpu:0");
  Floats values(kLarge, 1);
  const Tensor there = ones({4}, fake);
  const Stream stream(cpu);
  Tensor lent =
      wrap_host(values.data(), DType::f32, {kLarge}, cpu, [&] { had_run = has_run.load(); });
  gate.close();
  on_stream(stream, [&] { return lent + 1; });
  static_cast<void>(there * 2);
  stream.wait(fake.default_stream().record());
  std::thread opener([&] {
    dropping.get_future().wait();
    gate.open();
  });
  dropping.set_value();
  lent = Tensor();
  EXPECT_TRUE(had_run);
  opener.join();
}

}  // namespace
}  // namespace patchbay::test

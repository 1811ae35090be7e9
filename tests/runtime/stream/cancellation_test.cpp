// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Threads that pthread_cancel ends: a wait ends at once, everything else is as if it had not begun
// or is done, and the process goes on.
#include "gate.h"
#include "support/cancellable_thread.h"
#include "support/device_test.h"
#include "support/scratch_directory.h"

namespace patchbay::test {
namespace {

using namespace std::chrono_literals;

/// A launch that never ends, and the waits for it.
TEST(Cancellation, EndsAWaitForWorkThatNeverEnds) {
  const Device device = Runtime(options({{"fake_endless_launch", "2"}})).device("fake:0");
  const Tensor a = ones({4}, device);
  device.synchronize();
  const Stream stuck(device);
  const Tensor b = on_stream(stuck, [&] { return a + a; });
  const Event event = stuck.record();
  std::atomic<int> num_ended{0};
  const std::function<void()> waits[] = {
      [&] { stuck.synchronize(), ++num_ended; },
      [&] { event.wait(), ++num_ended; },
      [&] { device.synchronize(), ++num_ended; },
      [&] { stuck.synchronize(1h), ++num_ended; },
  };
  for (const auto& wait : waits) {
    CancellableThread thread(wait);
    std::this_thread::sleep_for(20ms);
    EXPECT_TRUE(thread.cancel());
  }
  EXPECT_EQ(num_ended, 0);
  EXPECT_EQ((a + 1).to_vector<float>(), Floats(4, 2)) << "the device goes on";
}

TEST(Cancellation, EndsAWaitForAStreamOfTheCpu) {
  Gate gate;
  const Device device = Runtime(gated_options(gate)).device("cpu:0");
  const Stream stream(device);
  const Tensor a = ones({kLarge}, device);
  gate.close();
  const Tensor b = on_stream(stream, [&] { return a + 1; });
  const Event event = stream.record();
  for (const std::function<void()>& wait :
       {std::function<void()>([&] { stream.synchronize(); }),
        std::function<void()>([&] { event.wait(); }),
        std::function<void()>([&] { return b.to_vector<float>(); })}) {
    CancellableThread thread(wait);
    std::this_thread::sleep_for(20ms);
    EXPECT_TRUE(thread.cancel());
  }
  gate.open();
  stream.synchronize();
  EXPECT_EQ(b.to_vector<float>(), Floats(kLarge, 2)) << "the work is not cancelled";
}

/// The member that was cancelled has asked for the operation, which is made all the same.
TEST(Cancellation, EndsAWaitForOtherMembers) {
  const std::vector<Device> devices = {test_device("cpu:0"), test_device("cpu:1")};
  const std::vector<ProcessGroup> group = ProcessGroup::in_process(devices);
  const Tensor a = full({3}, 2, devices[0]), b = full({3}, 5, devices[1]);
  CancellableThread thread([&] { group[0].all_reduce(a).wait(); });
  std::this_thread::sleep_for(20ms);
  EXPECT_TRUE(thread.cancel());
  group[1].all_reduce(b).wait();
  EXPECT_EQ(b.to_vector<float>(), Floats(3, 7));
  EXPECT_EQ(a.to_vector<float>(), Floats(3, 7));
}

/// A thread that was cancelled before ends in a call or after it. Nothing aborts the process.
PATCHBAY_DEVICE_TESTS(CancelledOn);

TEST_P(CancelledOn, WhateverItCalls) {
  const Tensor a = full({1000}, 3, device_);
  const Stream stream(device_);
  const auto host = test_device("cpu:0");
  (void)a.to(host);
  const std::function<void()> calls[] = {
      [&] { device_.synchronize(); },
      [&] { stream.synchronize(); },
      [&] { stream.record().wait(); },
      [&] { const Stream other(device_); },
      [&] {
        const Stream other(device_);
        const StreamScope scope(other);
        (void)sum(a * 2 + 1).item<float>();
      },
      [&] { return (a + a).to_vector<float>(); },
      [&] { return a.to(host); },
      [&] { return a.to(host).to(device_); },
      [&] {
        return matmul(a.reshape({10, 100}), a.reshape({100, 10})).to_vector<float>();
      },
      [&] {
        const TraceScope trace("cancelled", test_runtime());
        (void)(a + 1).to_vector<float>();
      },
      [&] { return test_runtime().explain(); },
      [&] { return test_runtime().devices(); },
  };
  for (const auto& call : calls) {
    for (int i = 0; i < 3; ++i) static_cast<void>(run_cancelled(call));
  }
  EXPECT_EQ((a + a).to_vector<float>(), Floats(1000, 6));
  EXPECT_EQ(a.to(host).to_vector<float>(), Floats(1000, 3));
}

/// A wait is a cancellation point also where the driver does the waiting, or nothing is to be
/// waited for.
TEST_P(CancelledOn, ALoopOfWaits) {
  const Tensor a = full({1000}, 3, device_);
  const Stream stream(device_);
  const std::function<void()> waits[] = {
      [&] { device_.synchronize(); },
      [&] { stream.synchronize(); },
      [&] { stream.record().wait(); },
  };
  for (const auto& wait : waits) EXPECT_TRUE(run_cancelled(wait));
}

/// Plugins are opened and closed, files of the log and the trace written, and caches used.
TEST(Cancelled, WhateverARuntimeDoes) {
  const ScratchDirectory scratch;
  const std::string folder = scratch.folder("files");
  const RuntimeOptions all = options({{"log", "debug:" + folder + "/log"},
                                      {"trace", folder + "/trace"},
                                      {"cache_dir", folder + "/cache"}});
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(run_cancelled([&] {
      Runtime runtime(all);
      for (const char* name : {"cpu:0", "fake:0"}) {
        const Tensor x = ones({4}, runtime.device(name));
        (void)(x * 3 + 1).to_vector<float>();
      }
      runtime.unload("fake");
    }));
  }
  const Runtime runtime(all);
  EXPECT_EQ((ones({2}, runtime.device("fake:0")) + 1).to_vector<float>(), Floats(2, 2));
}

}  // namespace
}  // namespace patchbay::test

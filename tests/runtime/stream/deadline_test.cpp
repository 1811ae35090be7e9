// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Waits with a deadline: none passes where nothing is pending, and one that passes says what is.
#include <chrono>
#include <vector>

#include <patchbay/patchbay.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using namespace std::chrono_literals;
using Floats = std::vector<float>;

class DeadlineOn : public DeviceTest {};

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
    Tensor b;
    {
      const StreamScope scope(stream);
      b = a + 1;
    }
    EXPECT_EQ(b.to_vector<float>(), Floats(1000, 2));  // on the default stream, after `stream`
    stream.synchronize(0ns);
    device_.synchronize(0ns);
  }
}

PATCHBAY_ON_EACH_DEVICE(DeadlineOn);

TEST(Deadline, SaysWhatIsPending) {
  const Runtime runtime(options({{"fake_endless_launch", "2"}}));
  const Device device = runtime.device("fake:0");
  const Tensor a = ones({4}, device);
  device.synchronize();
  const Stream stuck(device), waiting(device);
  const StreamScope scope(stuck);
  const Tensor b = a + a;
  EXPECT_ERROR(stuck.synchronize(0ns), ErrorCode::kTimedOut,
               "[synchronize] the deadline passed (fake:0): [add] is not done. Nothing is lost: "
               "wait again.");
  const Event event = stuck.record();
  static_cast<void>(b * 2 + 1);
  EXPECT_ERROR(device.synchronize(1ms), ErrorCode::kTimedOut,
               "(fake:0): [add], [mul] are not done. Nothing");
  EXPECT_ERROR(event.wait(1ms), ErrorCode::kTimedOut,
               "[wait] the deadline passed (fake:0): [add] is not done. Nothing");
  waiting.wait(event);
  EXPECT_ERROR(waiting.synchronize(0ns), ErrorCode::kTimedOut,
               "(fake:0): a wait for another stream is not done. Nothing");
}

}  // namespace
}  // namespace patchbay::test

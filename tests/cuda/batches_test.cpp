// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A driver that keeps submitted work back until it is asked, as Windows' does below WSL2.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

class SimBatches : public SimTest {
 protected:
  /// Whether an event is done some time after it was recorded, although nobody waits for it.
  static bool is_done_by_itself(const char* batches, std::chrono::milliseconds patience) {
    const Runtime runtime(options({{"cuda_batches", batches}}));
    const Device device = runtime.device("cuda:0");
    const Tensor x = full({4}, 2, device) * 3;
    const Event event = device.default_stream().record();
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!event.is_done() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const bool is_done = event.is_done();
    EXPECT_EQ(x.to_vector<float>(), std::vector<float>(4, 6));
    return is_done;
  }
};

TEST_F(SimBatches, RecordingStartsTheWork) {
  set("LAZY", "1");
  EXPECT_FALSE(is_done_by_itself("0", std::chrono::milliseconds(50)));
  EXPECT_TRUE(is_done_by_itself("1", std::chrono::seconds(20)));
}

}  // namespace
}  // namespace patchbay::sim_test

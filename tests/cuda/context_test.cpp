// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A context that can't be made current any more: nothing is done in the one that is.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "sim/cuda/application.h"
#include "sim/simulation.h"
#include "support/child.h"

namespace patchbay::sim_test {
namespace {

class SimContext : public SimTest {
 protected:
  const Driver driver_;
};

/// The application destroys the context that it lent, and has another one current: memory that
/// the runtime asked for would lie there, and a copy would go by its addresses.
TEST_F(SimContext, DestroyedByTheApplication) {
  driver_.initialise(0);
  NativeContext lent = nullptr, other = nullptr;
  ASSERT_EQ(driver_.context_create(&lent, 0, 0), 0);
  ASSERT_EQ(driver_.context_create(&other, 0, 0), 0);
  {
    const Device device = new_card({{"memory_cache", "off"}});
    adopt_context(device, number_of(lent));
    EXPECT_EQ(full({4}, 2, device).to_vector<float>(), std::vector<float>(4, 2));
    device.synchronize();
    const std::uint64_t before = counters().allocations;
    ASSERT_EQ(driver_.context_destroy(lent), 0);
    const std::string why = loss([&] { (void)Buffer::allocate(device, 4096); });
    EXPECT_HAS(why,
               "device 0 is lost: cuCtxSetCurrent: CUDA_ERROR_INVALID_CONTEXT (simulated). The "
               "application has destroyed the context that it lent");
    EXPECT_EQ(counters().allocations, before);
    EXPECT_HAS(loss([&] { device.synchronize(); }), "cuCtxSetCurrent");
    NativeContext current = nullptr;
    driver_.get_current(&current);
    EXPECT_EQ(current, other);
    EXPECT_EQ(full({4}, 3, device.runtime().device("cuda:1")).to_vector<float>(),
              std::vector<float>(4, 3));
  }
  driver_.context_destroy(other);
  driver_.set_current(nullptr);
}

/// The driver's answers in a forked child, and when the process ends.
TEST_F(SimContext, DriverThatIsGone) {
  const struct {
    int code;
    const char* why;
  } kCases[] = {{3,
                 "device 0 is lost: cuCtxSetCurrent: CUDA_ERROR_NOT_INITIALIZED (simulated). A "
                 "child of fork can't use the devices of its parent: start it anew with exec"},
                {4,
                 "device 0 is lost: cuCtxSetCurrent: CUDA_ERROR_DEINITIALIZED (simulated). The "
                 "process is ending"}};
  for (const auto& [code, why] : kCases) {
    const Device device = new_card();
    const Tensor tensor = full({4}, 2, device);
    device.synchronize();
    driver_.set_gone(code);
    const std::string got = loss([&] { (void)tensor.to_vector<float>(); });
    const std::string later = loss([&] { device.synchronize(); });
    driver_.set_gone(0);
    EXPECT_HAS(got, why);
    EXPECT_HAS(later, why);
  }
}

/// For real: an error at once, and a child that ends by itself.
TEST_F(SimContext, ChildOfAFork) {
  const Device device = new_card();
  const Tensor tensor = full({4}, 2, device);
  device.synchronize();
  EXPECT_NE(test::answer_of([&] {
              (void)tensor.to_vector<float>();
              return std::string("no error");
            }),
            "no error");
  EXPECT_EQ(tensor.to_vector<float>(), std::vector<float>(4, 2));  // the parent goes on
}

// ----------------------------------------------------------------------------- batches ---

/// A driver that keeps submitted work back until it is asked, as Windows' does below WSL2.
class SimBatches : public SimTest {
 protected:
  /// Whether an event is done some time after it was recorded, although nobody waits for it.
  static bool is_done_by_itself(const char* batches, std::chrono::milliseconds patience) {
    const Device device = new_card({{"cuda_batches", batches}});
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

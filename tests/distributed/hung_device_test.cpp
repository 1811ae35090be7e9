// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Groups with a device whose work does not end.
#include <chrono>
#include <thread>

#include <patchbay/patchbay.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;
using std::chrono::milliseconds;
constexpr std::chrono::minutes kLong(1);

/// `stuck` [2] on fake:0 is complete, with elements of 2, once end() was called.
class HungDevice : public testing::Test {
 protected:
  HungDevice() {
    const Tensor one = ones({2}, device("fake:0"));
    device("fake:0").synchronize();
    stuck = one + one;
  }
  ~HungDevice() override { end(); }

  Device device(const char* name) const { return runtime_.device(name); }
  /// Makes the launch that ends the endless one.
  void end() const {
    const Stream stream(device("fake:1"));
    const StreamScope scope(stream);
    for (int i = 0; i < 100; ++i) static_cast<void>(ones({1}, device("fake:1")));
  }

  Tensor stuck;

 private:
  const Runtime runtime_{
      options({{"fake_endless_launch", "2"}, {"fake_endless_until_launch", "100"}})};
};

/// Both devices queue their work, so the operation ends before it.
TEST_F(HungDevice, WorkHasADeadline) {
  const auto members = ProcessGroup::in_process({device("fake:0"), device("fake:1")});
  const Work work = members[0].all_reduce(stuck);
  static_cast<void>(members[1].all_reduce(ones({2}, device("fake:1"))));
  while (!work.is_done()) std::this_thread::yield();
  EXPECT_ERROR(work.wait(milliseconds(20)), ErrorCode::kTimedOut,
               "[wait] the deadline passed (fake:0): [add]");
  end();
  work.wait();
  EXPECT_EQ(stuck.to_vector<float>(), (Floats{3, 3}));
}

/// The thread of the group waits for the device: the CPU adds in the call that submits.
class HungGroup : public HungDevice {
 protected:
  HungGroup() {
    members = ProcessGroup::in_process({device("cpu:0"), device("fake:0")});
    works.push_back(members[0].all_reduce(sum));
    works.push_back(members[1].all_reduce(stuck));
    EXPECT_ERROR(works[0].wait(milliseconds(100)), ErrorCode::kTimedOut,
                 "[wait] all_reduce has not ended: expected the devices to be done within 100 ms. "
                 "Wait again, or abort() the group.");
  }
  /// The operation that moves bytes already is completed.
  void expect_completed() {
    EXPECT_FALSE(works[0].is_done());
    end();
    for (const Work& each : works) each.wait();
    EXPECT_EQ(sum.to_vector<float>(), (Floats{3, 3}));
  }

  const Tensor sum = ones({2}, device("cpu:0"));
  std::vector<ProcessGroup> members;
  std::vector<Work> works;
};

TEST_F(HungGroup, KeepsDeadlines) {
  const Tensor tensor = ones({2}, device("cpu:0"));
  const Work late = members[0].all_reduce(tensor, ReduceOp::kSum, {.timeout = milliseconds(50)});
  const std::string text = "[all_reduce] members did not come within 50 ms: rank 1 (fake:0)";
  EXPECT_ERROR(tensor.to_vector<float>(), ErrorCode::kTimedOut,
               "[to_vector] all_reduce failed: members did not come within");
  EXPECT_ERROR(late.wait(kLong), ErrorCode::kTimedOut, text);
  EXPECT_ERROR(members[1].barrier(), ErrorCode::kTimedOut, text);
  expect_completed();
}

/// The tensor of both is read once the first one is completed.
TEST_F(HungGroup, KeepsFailuresFromTheOperationThatRuns) {
  const Work late = members[0].all_reduce(sum, ReduceOp::kSum, {.timeout = milliseconds(50)});
  EXPECT_ERROR(late.wait(kLong), ErrorCode::kTimedOut, "within 50 ms");
  EXPECT_FALSE(works[0].is_done());
  end();
  for (const Work& each : works) each.wait();
  EXPECT_EQ(stuck.to_vector<float>(), (Floats{3, 3}));
  EXPECT_ERROR(sum.to_vector<float>(), ErrorCode::kTimedOut, "within 50 ms");
}

TEST_F(HungGroup, SaysThatALateOperationHasEnded) {
  const Work late = members[0].barrier({.timeout = milliseconds(50)});
  while (!late.is_done()) std::this_thread::yield();
  EXPECT_ERROR(late.wait(kLong), ErrorCode::kTimedOut, "[barrier] members did not come");
  expect_completed();
}

TEST_F(HungGroup, CanBeAborted) {
  const Work complete = members[0].barrier(), other = members[1].barrier();
  const Work open = members[0].barrier();
  members[1].abort("the device hangs");
  for (const Work& each : {complete, other, open}) {
    EXPECT_ERROR(each.wait(kLong), ErrorCode::kLaunchFailed,
                 "[ProcessGroup] the group was aborted: the device hangs. Make a new group.");
  }
  expect_completed();
}

TEST_F(HungGroup, CanLoseAMember) {
  const Work open = members[0].barrier();
  members.pop_back();
  EXPECT_ERROR(open.wait(kLong), ErrorCode::kLaunchFailed,
               "[barrier] rank 1 (fake:0) is lost: its handle was dropped.");
  expect_completed();
}

/// Waits five seconds.
TEST_F(HungGroup, CanBeDropped) {
  const auto begin = std::chrono::steady_clock::now();
  members.clear();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kLong);
  expect_completed();
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What goes wrong in a group: wrong calls, members that do not come, and members that are lost.
#include <future>
#include <memory>
#include <thread>

#include <patchbay/patchbay.h>

#include "distributed/members.h"
#include "support/child.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;
using std::chrono::milliseconds;

std::vector<ProcessGroup> pair(std::chrono::nanoseconds timeout = std::chrono::minutes(10)) {
  return ProcessGroup::in_process({test_device("cpu:0"), test_device("fake:0")}, {timeout});
}
std::vector<ProcessGroup> trio() {
  return ProcessGroup::in_process(
      {test_device("cpu:0"), test_device("cpu:1"), test_device("fake:0")});
}
Tensor ones_of(const ProcessGroup& member, const Shape& shape = {2}, DType dtype = DType::f32) {
  return ones(shape, {dtype, member.device()});
}

TEST(GroupFailures, Construction) {
  EXPECT_INVALID(ProcessGroup::in_process({}), "[ProcessGroup] the list of devices is empty.");
  EXPECT_INVALID(pair(std::chrono::seconds(-3)),
                 "[ProcessGroup] a wrong timeout: expected at least 0, got -3000 ms");
  const Runtime other(device_options());
  EXPECT_INVALID(
      ProcessGroup::in_process({test_device("cpu:0"), other.device("cpu:1")}),
      "[ProcessGroup] devices of two runtimes do not mix: cpu:1 is not of the runtime of cpu:0");
}

/// What one call throws at once, and what the other member is told.
void expect_refused(const Member& wrong, ErrorCode code, const std::string& text) {
  const auto members = pair();
  const Tensor tensor = ones_of(members[0]);
  const Work work = members[0].all_reduce(tensor);
  EXPECT_ERROR(wrong(members[1]), code, text);
  EXPECT_ERROR(work.wait(), code, "] the call of rank 1 (fake:0) failed: " + text);
  EXPECT_ERROR(tensor.to_vector<float>(), code, text);
}

TEST(GroupFailures, OperandsThatDoNotFit) {
  expect_refused(
      [](const ProcessGroup& member) {
        return member.barrier({.timeout = std::chrono::seconds(-1)});
      },
      ErrorCode::kInvalidArgument, "[barrier] a wrong timeout: expected at least 0, got -1000 ms");
  expect_refused([](const ProcessGroup& member) { return member.all_reduce(Tensor()); },
                 ErrorCode::kInvalidArgument, "[all_reduce] tensor is undefined");
  expect_refused(
      [](const ProcessGroup& member) { return member.all_reduce(ones({2}, test_device("cpu:1"))); },
      ErrorCode::kDeviceMismatch,
      "[all_reduce] tensor is on another device than its member: expected fake:0, that of rank 1, "
      "got cpu:1 (tensor: f32 [2] on cpu:1). Copy it there: tensor.to(\"fake:0\").");
  expect_refused([](const ProcessGroup& member) { return member.broadcast(ones_of(member), 2); },
                 ErrorCode::kInvalidArgument,
                 "[broadcast] no such member: expected a root from 0 to 1, got 2.");
  expect_refused(
      [](const ProcessGroup& member) {
        return member.all_reduce(ones_of(member, {2}, DType::boolean));
      },
      ErrorCode::kDtypeMismatch, "[all_reduce]");
  expect_refused(
      [](const ProcessGroup& member) {
        return member.all_reduce(ones_of(member, {2}, DType::c64), ReduceOp::kMax);
      },
      ErrorCode::kDtypeMismatch, "[all_reduce]");
  expect_refused(
      [](const ProcessGroup& member) {
        return member.all_reduce(ones_of(member).requires_grad_());
      },
      ErrorCode::kInvalidArgument, "[all_reduce] tensor requires gradients");
  expect_refused(
      [](const ProcessGroup& member) {
        return member.all_gather(ones_of(member, {3}), ones_of(member, {2}));
      },
      ErrorCode::kShapeMismatch,
      "[all_gather] shapes do not fit: expected out with 2 times the rows of in, got [3] (out: f32 "
      "[3] on fake:0; in: f32 [2] on fake:0).");
  expect_refused(
      [](const ProcessGroup& member) {
        return member.all_gather(ones_of(member, {}), ones_of(member, {}));
      },
      ErrorCode::kShapeMismatch, "[all_gather] shapes do not fit");
  expect_refused(
      [](const ProcessGroup& member) {
        return member.reduce_scatter(ones_of(member, {1}, DType::i32), ones_of(member, {2}));
      },
      ErrorCode::kDtypeMismatch, "[reduce_scatter]");
  expect_refused(
      [](const ProcessGroup& member) {
        const Tensor all = ones_of(member, {4});
        static_cast<void>(member.all_gather(all, all.slice(0, 0, 2)));
      },
      ErrorCode::kInvalidArgument, "[all_gather] out and in overlap");
  expect_refused(
      [](const ProcessGroup& member) {
        return member.all_reduce(ones_of(member, {1}).expand({2}));
      },
      ErrorCode::kInvalidArgument, "[all_reduce] tensor repeats elements");
}

/// Both members are told what both asked for, and the group goes on.
void expect_mismatch(const Member& second, ErrorCode code, const std::string& text) {
  const auto members = pair();
  const auto outcomes = outcomes_of(members, [&](const ProcessGroup& member) {
    member.rank() == 1 ? second(member) : member.all_reduce(ones_of(member)).wait();
  });
  for (const std::exception_ptr& each : outcomes) {
    ASSERT_NE(each, nullptr);
    EXPECT_ERROR(std::rethrow_exception(each), code,
                 "[all_reduce] members ask for different operations: expected all_reduce (sum) of "
                 "f32 [2] on cpu:0, as rank 0 does, got " +
                     text + " of rank 1. Make the same calls in the same order on all members.");
  }
  run_all(members, [](const ProcessGroup& member) {
    const Tensor tensor = ones_of(member);
    member.all_reduce(tensor).wait();
    EXPECT_EQ(tensor.to_vector<float>(), (Floats{2, 2}));
  });
}

TEST(GroupFailures, MembersThatDisagree) {
  expect_mismatch([](const ProcessGroup& member) { member.broadcast(ones_of(member), 1).wait(); },
                  ErrorCode::kInvalidArgument, "broadcast of f32 [2] on fake:0 with root 1");
  expect_mismatch([](const ProcessGroup& member) { member.barrier().wait(); },
                  ErrorCode::kInvalidArgument, "barrier");
  expect_mismatch(
      [](const ProcessGroup& member) { member.all_reduce(ones_of(member), ReduceOp::kMax).wait(); },
      ErrorCode::kInvalidArgument, "all_reduce (max) of f32 [2] on fake:0");
  expect_mismatch(
      [](const ProcessGroup& member) { member.all_reduce(ones_of(member, {3})).wait(); },
      ErrorCode::kShapeMismatch, "all_reduce (sum) of f32 [3] on fake:0");
  expect_mismatch(
      [](const ProcessGroup& member) {
        member.all_reduce(ones_of(member, {2}, DType::i32)).wait();
      },
      ErrorCode::kDtypeMismatch, "all_reduce (sum) of i32 [2] on fake:0");
}

TEST(GroupFailures, MembersThatShareMemory) {
  const Device cpu = test_device("cpu:0");
  const auto members = ProcessGroup::in_process({cpu, cpu});
  const Tensor shared = ones({4}, cpu);
  for (const std::exception_ptr& each : outcomes_of(members, [&](const ProcessGroup& member) {
         member.all_reduce(shared.slice(0, member.rank(), member.rank() + 3)).wait();
       })) {
    ASSERT_NE(each, nullptr);
    EXPECT_INVALID(std::rethrow_exception(each),
                   "[all_reduce] tensors of two members overlap, of ranks 0 and 1");
  }
}

TEST(GroupFailures, AMemberThatDoesNotCome) {
  const auto members = pair(milliseconds(30));
  const Tensor tensor = ones_of(members[0]);
  const Work work = members[0].all_reduce(tensor);
  const std::string text =
      "[all_reduce] members did not come within 30 ms: rank 1 "
      "(fake:0). Make the same calls on all members, and a new group.";
  EXPECT_ERROR(work.wait(), ErrorCode::kTimedOut, text);
  EXPECT_ERROR(tensor.to_vector<float>(), ErrorCode::kTimedOut, "members did not come");
  tensor.fill_(3);
  EXPECT_EQ(tensor.to_vector<float>(), (Floats{3, 3})) << "written again";
  EXPECT_ERROR(members[1].all_reduce(ones_of(members[1])), ErrorCode::kTimedOut, text);
  const auto others = pair();
  EXPECT_ERROR(others[0].barrier({.timeout = milliseconds(5)}).wait(), ErrorCode::kTimedOut,
               "[barrier] members did not come within 5 ms");
}

/// The earlier operation goes on; the later ones would be mixed up with the one that failed.
TEST(GroupFailures, EachCallHasItsOwnDeadline) {
  const auto members = pair();
  const Work first = members[0].barrier();
  const Work second = members[0].barrier({.timeout = milliseconds(50)});
  const Work third = members[0].barrier();
  const std::string text = "[barrier] members did not come within 50 ms: rank 1 (fake:0).";
  EXPECT_ERROR(second.wait(std::chrono::minutes(1)), ErrorCode::kTimedOut, text);
  EXPECT_ERROR(third.wait(std::chrono::minutes(1)), ErrorCode::kTimedOut, text);
  EXPECT_FALSE(first.is_done());
  EXPECT_ERROR(members[0].barrier(), ErrorCode::kTimedOut, text);
  members[1].barrier().wait();
  first.wait();
  EXPECT_ERROR(members[1].barrier(), ErrorCode::kTimedOut, text);
}

TEST(GroupFailures, AFailureDoesNotReachEarlierOperations) {
  const auto members = pair();
  const Tensor tensor = ones_of(members[0]), other = ones_of(members[1]);
  const Work first = members[0].all_reduce(tensor);
  const Work second = members[0].all_reduce(tensor, ReduceOp::kSum, {.timeout = milliseconds(20)});
  EXPECT_ERROR(second.wait(), ErrorCode::kTimedOut, "within 20 ms");
  members[1].all_reduce(other).wait();
  first.wait();
  EXPECT_EQ(other.to_vector<float>(), (Floats{2, 2}));
  EXPECT_ERROR(tensor.to_vector<float>(), ErrorCode::kTimedOut, "within 20 ms");
}

TEST(GroupFailures, AMemberIsLost) {
  auto members = pair();
  const Tensor tensor = ones_of(members[0]);
  const Work first = members[0].all_reduce(tensor), second = members[0].all_reduce(tensor);
  static_cast<void>(members[1].all_reduce(ones_of(members[1])));
  members.pop_back();
  first.wait();
  const std::string text =
      "[all_reduce] rank 1 (fake:0) is lost: its handle was dropped. Make a new group without it.";
  EXPECT_ERROR(second.wait(), ErrorCode::kLaunchFailed, text);
  EXPECT_ERROR(members[0].all_reduce(ones_of(members[0])), ErrorCode::kLaunchFailed, text);
  const std::vector<MemberHealth> health = members[0].health();
  ASSERT_EQ(health.size(), 2u);
  EXPECT_FALSE(health[0].is_lost);
  EXPECT_EQ(health[0].num_calls, 2u);
  EXPECT_TRUE(health[1].is_lost);
  EXPECT_EQ(health[1].device, "fake:0");
  EXPECT_EQ(health[1].reason, "its handle was dropped");
}

TEST(GroupFailures, AMemberLeavesForAReason) {
  const auto members = pair();
  const auto outcomes = outcomes_of(members, [](const ProcessGroup& member) {
    if (member.rank() == 1) return member.leave("its reader found no file");
    member.barrier().wait();
  });
  EXPECT_ERROR(std::rethrow_exception(outcomes[0]), ErrorCode::kLaunchFailed,
               "[barrier] rank 1 (fake:0) is lost: its reader found no file.");
}

/// A member may be late for an operation that has failed without it.
TEST(GroupFailures, AMemberIsLostAndAnotherIsLate) {
  const auto members = trio();
  std::vector<Work> works;
  for (int i = 0; i < 40; ++i) works.push_back(members[0].barrier());
  members[1].leave("its reader found no file");
  const std::string text = "[barrier] rank 1 (cpu:1) is lost: its reader found no file.";
  for (const Work& each : works) EXPECT_ERROR(each.wait(), ErrorCode::kLaunchFailed, text);
  for (int i = 0; i < 50; ++i) {
    EXPECT_ERROR(members[2].barrier(), ErrorCode::kLaunchFailed, text);
    EXPECT_ERROR(members[0].barrier(), ErrorCode::kLaunchFailed, text);
  }
}

TEST(GroupFailures, WhatALostMemberAskedForGoesOn) {
  const auto members = trio();
  const Tensor tensor = ones_of(members[0]);
  const Work first = members[0].all_reduce(tensor), second = members[0].barrier();
  static_cast<void>(members[1].all_reduce(ones_of(members[1])));
  members[1].leave("it has no more rows");
  const std::string text = "[barrier] rank 1 (cpu:1) is lost: it has no more rows.";
  EXPECT_ERROR(second.wait(), ErrorCode::kLaunchFailed, text);
  EXPECT_FALSE(first.is_done());
  members[2].all_reduce(ones_of(members[2])).wait();
  EXPECT_EQ(tensor.to_vector<float>(), (Floats{3, 3}));
  EXPECT_ERROR(members[2].barrier(), ErrorCode::kLaunchFailed, text);
}

/// A call that fails at once leaves nothing behind.
TEST(GroupFailures, CallsAfterALoss) {
  const auto members = trio();
  run_all(members, [](const ProcessGroup& member) { member.barrier().wait(); });
  members[1].leave("");
  const std::string text = "[barrier] rank 1 (cpu:1) is lost: no reason was given.";
  EXPECT_ERROR(members[0].barrier(), ErrorCode::kLaunchFailed, text);
  members[2].leave("it has no more rows");
  for (int i = 0; i < 20; ++i) {
    EXPECT_ERROR(members[0].barrier(), ErrorCode::kLaunchFailed, text);
  }
  EXPECT_EQ(members[0].health()[0].num_calls, 1u);
}

/// Survivors that give up are lost, too, but they are not why the group failed.
TEST(GroupFailures, SurvivorsThatGiveUpHideNobody) {
  const std::string text = "rank 2 (fake:0) is lost: its reader found no file.";
  for (const bool aborts : {false, true}) {
    const auto members = trio();
    const Work early = members[1].barrier();
    members[2].leave("its reader found no file");
    EXPECT_ERROR(members[0].barrier().wait(), ErrorCode::kLaunchFailed, text);
    aborts ? members[0].abort("rank 0 gives up") : members[0].leave("rank 0 gives up");
    EXPECT_ERROR(early.wait(), ErrorCode::kLaunchFailed, text);
    EXPECT_ERROR(members[1].barrier().wait(), ErrorCode::kLaunchFailed, text);
    EXPECT_NE(members[1].health()[0].group_failure.find(text), std::string::npos)
        << members[1].health()[0].group_failure;
  }
}

/// The error ends each survivor's thread, which drops its handle, as in most programs.
TEST(GroupFailures, AllSurvivorsNameTheFirstOneThatIsLost) {
  const std::vector<Device> devices = {test_device("cpu:0"), test_device("cpu:1"),
                                       test_device("fake:0"), test_device("fake:1")};
  for (std::size_t lost = 0; lost < devices.size(); ++lost) {
    auto members = ProcessGroup::in_process(devices);
    std::vector<std::string> told(devices.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      threads.emplace_back(
          [&told, lost, i,
           member = std::make_unique<ProcessGroup>(std::move(members[i]))]() mutable {
            member->barrier().wait();
            if (i == lost) return member.reset();
            try {
              for (;;) member->barrier().wait();
            } catch (const Error& error) {
              told[i] = error.what();
            }
            member.reset();
          });
    }
    for (std::thread& each : threads) each.join();
    const std::string text = "[barrier] rank " + std::to_string(lost) + " (" +
                             devices[lost].name() +
                             ") is lost: its handle was dropped. Make a new group without it.";
    for (std::size_t i = 0; i < devices.size(); ++i) EXPECT_EQ(told[i], i == lost ? "" : text);
  }
}

TEST(GroupFailures, Abort) {
  const auto members = pair();
  const Work work = members[0].barrier();
  members[1].abort("the user closed the window");
  const std::string text =
      "[ProcessGroup] the group was aborted: the user closed the window. Make a new group.";
  EXPECT_ERROR(work.wait(), ErrorCode::kLaunchFailed, text);
  EXPECT_ERROR(members[0].barrier(), ErrorCode::kLaunchFailed, text);
  EXPECT_ERROR(members[1].barrier(), ErrorCode::kLaunchFailed, text);
}

TEST(GroupFailures, RecordedGraphs) {
  const auto members = pair();
  const Tensor tensor = ones_of(members[0]);
  const Work other = members[1].all_reduce(ones_of(members[1]));
  EXPECT_INVALID(record_graph([&] { static_cast<void>(members[0].all_reduce(tensor)); }),
                 "all_reduce");
  EXPECT_INVALID(other.wait(std::chrono::minutes(1)),
                 "[all_reduce] the call of rank 0 (cpu:0) failed: [all_reduce]");
}

TEST(GroupFailures, Callbacks) {
  const auto members = pair();
  const Work other = members[1].all_reduce(ones_of(members[1]));
  const Stream stream(members[0].device());
  std::promise<std::vector<std::string>> told;
  stream.add_callback([&](const Error*) {
    const Error call = error_of([&] { static_cast<void>(members[0].barrier()); });
    const Error wait = error_of([&] { other.wait(std::chrono::seconds(1)); });
    told.set_value({call.what(), wait.what()});
  });
  const std::string text =
      "] a stream's callback called the runtime: expected a callback that only notes what it is "
      "told or wakes another thread. Make the call on that thread.";
  EXPECT_EQ(told.get_future().get(), (std::vector<std::string>{"[barrier" + text, "[wait" + text}));
  EXPECT_INVALID(other.wait(std::chrono::minutes(1)),
                 "[barrier] the call of rank 0 (cpu:0) failed: [barrier" + text);
}

/// The others are told, and the next calls of all meet each other.
TEST(GroupFailures, ACallThatTheFailureOfAnotherGroupStops) {
  const auto late = pair(std::chrono::seconds(1)), members = pair();
  const Tensor tensor = ones_of(members[0]);
  const Work other = members[1].all_reduce(ones_of(members[1]));
  const Work first = late[0].all_reduce(tensor);
  const std::string text = "members did not come within 1000 ms";
  EXPECT_ERROR(members[0].all_reduce(tensor), ErrorCode::kTimedOut, text);
  EXPECT_ERROR(other.wait(std::chrono::seconds(20)), ErrorCode::kTimedOut,
               "[all_reduce] the call of rank 0 (cpu:0) failed: [all_reduce] ");
  run_all(members, [](const ProcessGroup& member) {
    const Tensor next = full({2}, member.rank() + 5, member.device());
    member.all_reduce(next).wait(std::chrono::seconds(20));
    EXPECT_EQ(next.to_vector<float>(), (Floats{11, 11}));
  });
}

TEST(GroupFailures, HealthSaysWhyTheGroupHasFailed) {
  const auto expect = [](const ProcessGroup& member, const std::string& text) {
    for (const MemberHealth& each : member.health()) EXPECT_EQ(each.group_failure, text);
  };
  const auto late = pair(milliseconds(1)), aborted = pair(), left = pair();
  expect(late[0], "");
  EXPECT_ERROR(late[0].barrier().wait(), ErrorCode::kTimedOut, "members did not come");
  expect(late[1],
         "[barrier] members did not come within 1 ms: rank 1 (fake:0). "
         "Make the same calls on all members, and a new group.");
  EXPECT_FALSE(late[0].health()[1].is_lost);
  aborted[0].abort("the user closed the window");
  expect(aborted[1],
         "[ProcessGroup] the group was aborted: the user closed the window. Make a new group.");
  left[1].leave("it has no more rows");
  expect(
      left[0],
      "[ProcessGroup] rank 1 (fake:0) is lost: it has no more rows. Make a new group without it.");
}

TEST(GroupFailures, AChildOfForkCannotUseThem) {
  const auto members = pair();
  run_all(members, [](const ProcessGroup& member) { member.barrier().wait(); });
  EXPECT_EQ(answer_of([&] {
              const Error error = error_of([&] { static_cast<void>(members[0].barrier()); });
              return std::string(to_string(error.code()));
            }),
            "device_lost");
}

}  // namespace
}  // namespace patchbay::test

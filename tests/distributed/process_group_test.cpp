// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What collective operations compute, on groups of all kinds of devices.
#include <atomic>
#include <chrono>
#include <future>

#include <patchbay/patchbay.h>

#include "distributed/members.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;

/// Groups of the device under test with others, and with itself.
class ProcessGroupTest : public DeviceTest {
 protected:
  std::vector<ProcessGroup> group() const {
    return ProcessGroup::in_process(
        {device_, test_device("cpu:1"), test_device("fake:0"), device_});
  }
};
PATCHBAY_ON_EACH_DEVICE(ProcessGroupTest);

/// Different for each rank and element.
Floats values_of(int rank, std::int64_t count) {
  Floats values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>((rank + 1) * 0.37 + static_cast<double>(i) * 0.011));
  }
  return values;
}
Tensor tensor_of(const ProcessGroup& member, std::int64_t count) {
  return from_host(values_of(member.rank(), count), {count}, member.device());
}

Floats sums(int members, std::int64_t count) {
  Floats sum = values_of(0, count);
  for (int rank = 1; rank < members; ++rank) {
    const Floats other = values_of(rank, count);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
  }
  return sum;
}

TEST_P(ProcessGroupTest, HasRanksAndDevices) {
  const auto members = group();
  ASSERT_EQ(members.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(members[static_cast<std::size_t>(i)].rank(), i);
    EXPECT_EQ(members[static_cast<std::size_t>(i)].size(), 4);
  }
  EXPECT_EQ(members[1].device(), test_device("cpu:1"));
}

TEST_P(ProcessGroupTest, BroadcastWritesTheRootsElements) {
  run_all(group(), [](const ProcessGroup& member) {
    const Tensor tensor = tensor_of(member, 5);
    member.broadcast(tensor, 2).wait();
    EXPECT_EQ(tensor.to_vector<float>(), values_of(2, 5));
  });
}

TEST_P(ProcessGroupTest, AllReduceSumsComplexNumbers) {
  run_all(group(), [](const ProcessGroup& member) {
    const Tensor re = tensor_of(member, 6), tensor = complex(re, re * 2);
    member.all_reduce(tensor).wait();
    EXPECT_EQ(real(tensor).to_vector<float>(), sums(4, 6));
    Floats twice = sums(4, 6);
    for (float& each : twice) each *= 2;
    EXPECT_EQ(imag(tensor).to_vector<float>(), twice);
  });
}

TEST_P(ProcessGroupTest, AllReduceSumsInTheOrderOfTheRanks) {
  for (const std::int64_t count : {1, 3, 1000}) {
    run_all(group(), [&](const ProcessGroup& member) {
      const Tensor tensor = tensor_of(member, count);
      member.all_reduce(tensor).wait();
      EXPECT_EQ(tensor.to_vector<float>(), sums(4, count)) << "to the bit";
    });
  }
}

TEST_P(ProcessGroupTest, SumsOfSeveralPieces) {
  constexpr std::int64_t kCount = (9 << 20) / 4 + 5;
  const auto members = ProcessGroup::in_process({device_, test_device("cpu:1")});
  const Floats expected = sums(2, kCount);
  run_all(members, [&](const ProcessGroup& member) {
    const Tensor tensor = tensor_of(member, kCount);
    member.all_reduce(tensor).wait();
    EXPECT_EQ(tensor.to_vector<float>(), expected);
  });
}

TEST_P(ProcessGroupTest, MaximaAndMinima) {
  run_all(group(), [](const ProcessGroup& member) {
    const Tensor most = tensor_of(member, 4), least = tensor_of(member, 4);
    member.all_reduce(most, ReduceOp::kMax).wait();
    member.all_reduce(least, ReduceOp::kMin).wait();
    EXPECT_EQ(most.to_vector<float>(), values_of(3, 4));
    EXPECT_EQ(least.to_vector<float>(), values_of(0, 4));
  });
}

TEST_P(ProcessGroupTest, ReduceWritesToTheRootAlone) {
  for (int root = 0; root < 4; ++root) {
    run_all(group(), [root](const ProcessGroup& member) {
      const Tensor tensor = tensor_of(member, 6);
      member.reduce(tensor, root).wait();
      EXPECT_EQ(tensor.to_vector<float>(),
                member.rank() == root ? sums(4, 6) : values_of(member.rank(), 6));
    });
  }
}

TEST_P(ProcessGroupTest, GatherAndScatter) {
  run_all(group(), [](const ProcessGroup& member) {
    const Tensor in = tensor_of(member, 6).view({2, 3}), all = in.new_empty({8, 3});
    member.all_gather(all, in).wait();
    for (int rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(all.slice(0, rank * 2, rank * 2 + 2).to_vector<float>(), values_of(rank, 6));
    }
    const Tensor whole = tensor_of(member, 8), part = whole.new_empty({2});
    member.reduce_scatter(part, whole).wait();
    const Floats expected = sums(4, 8);
    const auto first = expected.begin() + member.rank() * 2;
    EXPECT_EQ(part.to_vector<float>(), Floats(first, first + 2));
    EXPECT_EQ(whole.to_vector<float>(), values_of(member.rank(), 8)) << "only read";
  });
}

/// 256 + 1 + 1 is 256 in bf16 after each step, and 258 if rounded once.
TEST_P(ProcessGroupTest, SmallFloatsAreRoundedOnce) {
  for (const DType dtype : {DType::bf16, DType::f16}) {
    const double large = dtype == DType::bf16 ? 256 : 2048;
    const auto members =
        ProcessGroup::in_process({device_, test_device("cpu:0"), test_device("cpu:1")});
    run_all(members, [&](const ProcessGroup& member) {
      const Tensor tensor = full({3}, member.rank() == 0 ? large : 1, {dtype, member.device()});
      member.all_reduce(tensor).wait();
      const float sum = static_cast<float>(large + 2);
      EXPECT_EQ(tensor.to_vector<float>(), (Floats{sum, sum, sum}));
    });
  }
}

TEST_P(ProcessGroupTest, Integers) {
  run_all(group(), [](const ProcessGroup& member) {
    const Tensor tensor = full({3}, member.rank() + 1, {DType::i64, member.device()});
    member.all_reduce(tensor).wait();
    EXPECT_EQ(tensor.to_vector<std::int64_t>(), (std::vector<std::int64_t>{10, 10, 10}));
    const Tensor flags = full({2}, member.rank() == 0, {DType::boolean, member.device()});
    member.broadcast(flags).wait();
    EXPECT_EQ(flags.to_vector<bool>(), (std::vector<bool>{true, true}));
  });
}

TEST_P(ProcessGroupTest, TensorsOfAnyStridesAndEmptyOnes) {
  run_all(group(), [](const ProcessGroup& member) {
    const Tensor storage = zeros({4, 3}, member.device());
    const Tensor column = storage.select(1, 1);
    column.copy_from(tensor_of(member, 4));
    member.all_reduce(column).wait();
    EXPECT_EQ(column.to_vector<float>(), sums(4, 4));
    EXPECT_EQ(storage.select(1, 0).to_vector<float>(), (Floats{0, 0, 0, 0}));
    const Tensor rows = storage.new_empty({3, 16});
    member.all_gather(rows.t(), storage).wait();
    EXPECT_EQ(rows.t().slice(0, 0, 4).to_vector<float>(), storage.to_vector<float>());
    const Tensor nothing = zeros({0, 3}, member.device());
    member.all_reduce(nothing).wait();
    member.all_gather(nothing, nothing.clone()).wait();
    const Tensor number = full({}, 2, member.device());
    member.all_reduce(number).wait();
    EXPECT_EQ(number.item<float>(), 8);
  });
}

/// The call returns before the others have come, and a read waits for them.
TEST_P(ProcessGroupTest, ReadsWaitForTheResult) {
  const auto members = ProcessGroup::in_process({device_, test_device("cpu:1")});
  const Tensor first = tensor_of(members[0], 5);
  const Work work = members[0].all_reduce(first);
  EXPECT_FALSE(work.is_done());
  EXPECT_ERROR(work.wait(std::chrono::milliseconds(1)), ErrorCode::kTimedOut,
               "[wait] all_reduce has not ended: expected all members within 1 ms. Wait again");
  auto doubled = std::async(std::launch::async, [&] { return (first * 2).to_vector<float>(); });
  const Tensor second = tensor_of(members[1], 5);
  members[1].all_reduce(second).wait();
  Floats expected = sums(2, 5);
  EXPECT_EQ(second.to_vector<float>(), expected);
  for (float& each : expected) each *= 2;
  EXPECT_EQ(doubled.get(), expected);
  work.wait();
  EXPECT_TRUE(work.is_done());
}

TEST_P(ProcessGroupTest, ManyAtOnceStayInOrder) {
  run_all(group(), [](const ProcessGroup& member) {
    const Tensor tensor = ones({64}, member.device());
    std::vector<Work> works;
    for (int i = 0; i < 5; ++i) works.push_back(member.all_reduce(tensor));
    for (const Work& each : works) each.wait();
    EXPECT_EQ(tensor[0].item<float>(), 1024);
  });
}

TEST_P(ProcessGroupTest, BarrierWaitsForAll) {
  std::atomic<int> num_come{0};
  run_all(group(), [&](const ProcessGroup& member) {
    ++num_come;
    member.barrier().wait();
    EXPECT_EQ(num_come, 4);
  });
}

TEST_P(ProcessGroupTest, OneMember) {
  const auto members = ProcessGroup::in_process({device_});
  const Tensor tensor = tensor_of(members[0], 3), copy = tensor.new_empty({3});
  members[0].all_reduce(tensor).wait();
  members[0].broadcast(tensor).wait();
  members[0].all_gather(copy, tensor).wait();
  EXPECT_EQ(copy.to_vector<float>(), values_of(0, 3));
  copy.zero_();
  members[0].reduce_scatter(copy, tensor).wait();
  EXPECT_EQ(copy.to_vector<float>(), values_of(0, 3));
}

TEST_P(ProcessGroupTest, CopiesAreInTheLedger) {
  if (device_.name() == "cpu:0") GTEST_SKIP() << "cpu:0 to itself";
  Ledger& ledger = test_runtime().ledger();
  ledger.reset();
  const auto members = ProcessGroup::in_process({test_device("cpu:0"), device_});
  run_all(members, [](const ProcessGroup& member) {
    const CopyTag tag("gradients");
    const Tensor tensor = zeros({256}, member.device());
    member.all_reduce(tensor).wait();
  });
  std::uint64_t bytes = 0;
  for (const LedgerEntry& each : ledger.entries()) {
    if (each.from == each.to) continue;
    EXPECT_EQ(each.tag, "gradients");
    bytes += each.bytes;
  }
  EXPECT_EQ(bytes, 2 * 256 * 4u);
}

TEST_P(ProcessGroupTest, GuardsAreThoseOfTheCallers) {
  if (device_.name() == "cpu:0") GTEST_SKIP() << "cpu:0 to itself";
  const auto members = ProcessGroup::in_process({test_device("cpu:0"), device_});
  const Tensor first = zeros({2}, test_device("cpu:0")), second = ones({2}, device_);
  const Work work = members[0].all_reduce(first);
  {
    const CopyGuard guard;
    EXPECT_ERROR(members[1].all_reduce(second), ErrorCode::kCopyForbidden, "[all_reduce]");
  }
  EXPECT_ERROR(work.wait(), ErrorCode::kCopyForbidden,
               "[all_reduce] the call of rank 1 (" + device_.name() + ") failed: [all_reduce]");
  EXPECT_EQ(second.to_vector<float>(), (Floats{1, 1}));
}

/// Copies of the same tensors that are asked for around the operation.
TEST_P(ProcessGroupTest, CopiesAroundAnOperation) {
  const auto members = ProcessGroup::in_process({device_, test_device("fake:1")});
  run_all(members, [](const ProcessGroup& member) {
    const Device cpu = test_device("cpu:0");
    for (int i = 0; i < 20; ++i) {
      const Tensor source = full({8, 8}, member.rank() + 1, cpu);
      const Tensor tensor = zeros({8, 8}, member.device());
      tensor.t().copy_from(source, /*non_blocking=*/true);
      const Work work = member.all_reduce(tensor);
      const Tensor there = tensor.t().to(cpu, {.copy = true, .non_blocking = true});
      tensor.fill_(-1);
      EXPECT_EQ(there.to_vector<float>(), Floats(64, 3));
      work.wait();
    }
  });
}

}  // namespace
}  // namespace patchbay::test

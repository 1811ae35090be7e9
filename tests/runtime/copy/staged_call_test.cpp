// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Blocking staged copies, which the calling thread makes where no other copy is on its way.
#include <vector>

#include <patchbay/ops.h>

#include "support/runtime_fixture.h"
#include "support/threads.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;

/// Two fake devices that don't reach each other.
class StagedCallTest : public testing::Test {
 protected:
  const Runtime runtime_{options({{"fake_peer", "0"}})};
  const Device from_ = runtime_.device("fake:0"), to_ = runtime_.device("fake:1");
};

TEST_F(StagedCallTest, ItsCallerMakesIt) {
  const Tensor source = full({8}, 2, from_), target = zeros({8}, to_);
  target.copy_from(source);
  const std::size_t before = num_threads();
  target.copy_from(source, /*non_blocking=*/true);
  EXPECT_EQ(target.to_vector<float>(), Floats(8, 2));
  EXPECT_EQ(num_threads(), before + 1) << "only what returns at once takes a thread of the runtime";
}

TEST_F(StagedCallTest, StridedOnesToo) {
  const Tensor source = arange(0, 6, 1, {from_}).cast(DType::f32).view({2, 3});
  EXPECT_EQ(source.t().to(to_).to_vector<float>(), (Floats{0, 3, 1, 4, 2, 5}));
  const Tensor target = zeros({3, 2}, to_);
  target.t().copy_from(source);
  EXPECT_EQ(target.to_vector<float>(), (Floats{0, 3, 1, 4, 2, 5}));
  const std::size_t before = num_threads();
  const Tensor sent = source.to(to_, {.non_blocking = true});
  EXPECT_EQ(sent.to_vector<float>(), (Floats{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(num_threads(), before + 1);
}

TEST_F(StagedCallTest, FollowsCopiesThatReturnedAtOnce) {
  constexpr std::int64_t kCount = 1 << 20;
  const Tensor target = zeros({kCount}, to_);
  for (int round = 0; round < 20; ++round) {
    const Tensor first = full({kCount}, round, from_), second = full({kCount}, -round, from_);
    target.copy_from(first, /*non_blocking=*/true);
    target.copy_from(second);
    EXPECT_EQ(target.slice(0, kCount - 2).to_vector<float>(),
              Floats(2, static_cast<float>(-round)));
  }
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Functions that are run again in place of keeping what they made.
#include <patchbay/autograd.h>
#include <patchbay/ops.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;

class CheckpointTest : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(CheckpointTest);

TEST_P(CheckpointTest, GivesTheSameGradientsAndKeepsLess) {
  const Floats values(5000, 0.5F);
  const auto make = [&] { return from_host(values, {5000}, device_).requires_grad_(); };
  const Tensor x = make(), y = make(), weight = make(), same_weight = make();
  int num_runs = 0;
  const auto chain = [&num_runs](const Tensor& by) {
    return [&num_runs, by](const std::vector<Tensor>& in) {
      ++num_runs;
      return exp(exp(exp(in[0] * by) * 0.25) * 0.25);
    };
  };
  const std::size_t before = device_.memory().live_bytes;
  const Tensor plain = chain(weight)({x});
  const std::size_t kept = device_.memory().live_bytes - before;
  const Tensor lean = checkpoint(chain(same_weight), {y});
  device_.synchronize();
  EXPECT_LT(device_.memory().live_bytes - before - kept, kept / 2);
  EXPECT_EQ(num_runs, 2);
  EXPECT_EQ(lean.to_vector<float>(), plain.to_vector<float>());
  sum(plain).backward();
  sum(lean).backward();
  EXPECT_EQ(num_runs, 3);
  EXPECT_EQ(y.grad().to_vector<float>(), x.grad().to_vector<float>());
  EXPECT_EQ(same_weight.grad().to_vector<float>(), weight.grad().to_vector<float>());
}

TEST_P(CheckpointTest, OfWhatNeedsNoGradientIsNotRecorded) {
  const Tensor x = ones({3}, device_);
  const Tensor y = checkpoint([](const std::vector<Tensor>& in) { return in[0] * 2; }, {x});
  EXPECT_FALSE(y.requires_grad());
  EXPECT_EQ(y.to_vector<float>(), Floats(3, 2));
}

}  // namespace
}  // namespace patchbay::test

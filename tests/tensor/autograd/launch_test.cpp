// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Kernels of the user's own, which no record sees: what they read and write is refused or noticed.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

constexpr const char* kTexts = R"(
PATCHBAY_KERNEL(twice)(PATCHBAY_INPUT(f32, x), PATCHBAY_OUTPUT(f32, y)) {
  PATCHBAY_BIND_INPUT(f32, x);
  PATCHBAY_BIND(f32, y);
  const i32 i = PATCHBAY_GLOBAL_ID(0);
  y[i] = 2.0f * x[i];
}
PATCHBAY_KERNEL(grow)(PATCHBAY_INOUT(f32, y)) {
  PATCHBAY_BIND(f32, y);
  y[PATCHBAY_GLOBAL_ID(0)] += 1.0f;
}
)";

class LaunchGradientTest : public DeviceTest {
 protected:
  const KernelModule module_ = KernelModule::from_source(device_, kTexts);
  const ModuleKernel twice_ = module_.kernel("twice"), grow_ = module_.kernel("grow");
  const Grid grid_{.groups = {1}, .group_size = {2}};
};
PATCHBAY_ON_EACH_DEVICE(LaunchGradientTest);

TEST_P(LaunchGradientTest, ReadingWhatRequiresGradientsIsRefused) {
  const Tensor x = leaf({1, 2}), y = zeros({2}, device_);
  const std::string refused =
      "[twice] argument 0 'x' requires gradients, which do not flow through a kernel of your own "
      "(f32 [2]" +
      on_ + "). Pass x.detach(), or launch inside a NoGrad scope.";
  EXPECT_INVALID(twice_.launch(grid_, {x, y}), refused);
  EXPECT_INVALID(twice_.launch(grid_, {x * 3, y}), refused);
  EXPECT_EQ(y.to_vector<float>(), (Floats{0, 0}));
  twice_.launch(grid_, {x.detach(), y});
  EXPECT_EQ(y.to_vector<float>(), (Floats{2, 4}));
  const NoGrad scope;
  twice_.launch(grid_, {x * 3, y});
  EXPECT_EQ(y.to_vector<float>(), (Floats{6, 12}));
}

TEST_P(LaunchGradientTest, WritingWhatRequiresGradientsIsRefused) {
  const Tensor x = floats({1, 2}), y = leaf({3, 4});
  EXPECT_INVALID(twice_.launch(grid_, {x, y}),
                 "[twice] argument 1 'y', which is written, requires gradients, so a recorded "
                 "graph may need it (f32 [2]" +
                     on_ + "). Pass another tensor, or launch inside a NoGrad scope.");
  EXPECT_INVALID(grow_.launch(grid_, {y}),
                 "[grow] argument 0 'y', which is written, requires gradients");
  EXPECT_INVALID(grow_.launch(grid_, {y * 2}), "requires gradients");
  EXPECT_EQ(y.to_vector<float>(), (Floats{3, 4}));
  const NoGrad scope;
  grow_.launch(grid_, {y});
  EXPECT_EQ(y.to_vector<float>(), (Floats{4, 5}));
}

TEST_P(LaunchGradientTest, OverwritingAnOperandIsFound) {
  for (const bool whole : {true, false}) {
    const Tensor x = leaf({1, 2}), factor = floats({3, 4}), y = sum(x * factor);
    if (whole) {
      twice_.launch(grid_, {floats({5, 6}), factor});
    } else {
      grow_.launch({.groups = {1}, .group_size = {1}}, {factor.slice(0, 1)});
    }
    EXPECT_INVALID(y.backward(), "[backward] b of mul was overwritten",
                   "it as it was when mul read it, got 1 later write to its storage (b: f32 [2]" +
                       on_ + "). Clone it before it is overwritten.");
  }
}

TEST_P(LaunchGradientTest, OverwritingAResultIsFound) {
  const Tensor x = leaf({1, 2}), y = exp(x), total = sum(y);
  {
    const NoGrad scope;
    grow_.launch(grid_, {y});
  }
  EXPECT_INVALID(total.backward(), "[backward] out of exp was overwritten");
  EXPECT_INVALID(sum(y), "an operand was overwritten since exp made it");
}

TEST_P(LaunchGradientTest, WhatIsOnlyReadOrRefusedCountsAsNoWrite) {
  const Tensor x = leaf({1, 2}), factor = floats({3, 4}), other = zeros({2}, device_);
  const Tensor y = sum(x * factor);
  twice_.launch(grid_, {factor, other});
  EXPECT_INVALID(twice_.launch({.groups = {-1}}, {other, factor}), "out of range");
  EXPECT_INVALID(twice_.launch(grid_, {factor, factor}), "shares");
  grow_.launch({.groups = {0}, .group_size = {2}}, {factor});
  y.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{3, 4}));
}

TEST_P(LaunchGradientTest, WritesOfReplaysAreFound) {
  const Tensor x = leaf({1, 2}), factor = floats({3, 4});
  const Graph graph = record_graph([&] { grow_.launch(grid_, {factor}); });
  const Tensor y = sum(x * factor);
  graph.replay();
  EXPECT_INVALID(y.backward(), "[backward] b of mul was overwritten");
}

TEST_P(LaunchGradientTest, OfACheckpointIsRefusedBeforeAnyWork) {
  const Tensor x = leaf({1, 2}), y = zeros({2}, device_);
  const auto function = [&](const std::vector<Tensor>& inputs) {
    twice_.launch(grid_, {inputs[0], y});
    return inputs[0] * 2;
  };
  EXPECT_INVALID(checkpoint(function, {x}), "[twice] argument 0 'x' requires gradients");
  EXPECT_EQ(y.to_vector<float>(), (Floats{0, 0}));
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Hooks for complete gradients, and the count of writes to a tensor.
#include "support/device_test.h"

namespace patchbay::test {
namespace {
using Names = std::vector<std::string>;

class HookTest : public DeviceTest {
 protected:
  /// Notes the name and the gradient at that moment.
  void note(const Tensor& of, const std::string& name) {
    add_accumulation_hook(of, [this, name](const Tensor& hooked) {
      events.push_back(name);
      gradients_then.push_back(hooked.grad().to_vector<float>());
    });
  }

  Names events;
  std::vector<Floats> gradients_then;
};
PATCHBAY_ON_EACH_DEVICE(HookTest);

/// A hook of a result in the middle shows what has run by then.
TEST_P(HookTest, IsCalledWhileBackwardRuns) {
  const Tensor early = leaf({1, 2}), late = leaf({3, 4});
  note(early, "early");
  note(late, "late");
  const Tensor middle = late * 2;
  middle.add_gradient_hook([this](const Tensor&) {
    events.emplace_back("middle");
    return Tensor();
  });
  sum(middle * early + early).backward();
  EXPECT_EQ(events, (Names{"early", "middle", "late"}));
  EXPECT_EQ(gradients_then, (std::vector<Floats>{{7, 9}, {2, 4}})) << "all of it";
}

TEST_P(HookTest, IsCalledOnceForABackwardWithAllThatWasAdded) {
  const Tensor x = leaf({1, 2});
  note(x, "x");
  const Tensor y = x * x;
  sum(y * x).backward({}, {.retain_graph = true});
  sum(y).backward();
  EXPECT_EQ(events, (Names{"x", "x"}));
  EXPECT_EQ(gradients_then, (std::vector<Floats>{{3, 12}, {5, 16}}));
}

/// A part of the graph that this backward does not reach holds nothing up for ever.
TEST_P(HookTest, OtherUsesOfTheLeafDoNotMatter) {
  const Tensor x = leaf({1, 2});
  note(x, "x");
  const Tensor unused = x * 7;
  sum(x * 3).backward();
  EXPECT_EQ(events, Names{"x"});
  static_cast<void>(unused);
}

TEST_P(HookTest, GradientsOfFunctionsCallNone) {
  const Tensor x = leaf({1, 2});
  note(x, "x");
  EXPECT_EQ(gradients({sum(x * 3)}, {x})[0].to_vector<float>(), (Floats{3, 3}));
  EXPECT_EQ(events, Names());
}

TEST_P(HookTest, SeesWhatGradientHooksMadeOfIt) {
  const Tensor x = leaf({1, 2});
  x.add_gradient_hook([](const Tensor& gradient) { return gradient * 10; });
  note(x, "x");
  sum(x).backward();
  EXPECT_EQ(gradients_then, (std::vector<Floats>{{10, 10}}));
}

TEST_P(HookTest, IsRemovedAndMayTakeTheGradient) {
  const Tensor x = leaf({1, 2});
  const std::uint64_t number =
      add_accumulation_hook(x, [](const Tensor& hooked) { hooked.set_grad({}); });
  sum(x).backward();
  EXPECT_FALSE(x.grad().defined());
  remove_accumulation_hook(x, number);
  sum(x).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{1, 1}));
}

TEST_P(HookTest, AddedLateItIsCalledAtTheEnd) {
  const Tensor x = leaf({1, 2}), z = leaf({1, 1}), y = (z * 2).detach().requires_grad_() * x;
  note(x, "x");
  sum(y).backward();
  EXPECT_EQ(events, Names{"x"});
}

TEST_P(HookTest, ExceptionsLeaveBackward) {
  const Tensor x = leaf({1, 2});
  add_accumulation_hook(x, [](const Tensor&) { throw std::runtime_error("stop"); });
  EXPECT_THROW(sum(x).backward(), std::runtime_error);
}

TEST_P(HookTest, WrongUses) {
  const Tensor x = leaf({1, 2}), y = x * 2;
  const auto nothing = [](const Tensor&) {};
  EXPECT_INVALID(add_accumulation_hook(Tensor(), nothing),
                 "[add_accumulation_hook] leaf is undefined");
  EXPECT_INVALID(add_accumulation_hook(y, nothing), "[add_accumulation_hook] no gradient",
                 "expected a leaf that requires gradients, got a result (leaf: f32 [2]" + on_);
  EXPECT_INVALID(add_accumulation_hook(x.detach(), nothing), "got a tensor that requires none");
  EXPECT_INVALID(add_accumulation_hook(x, nullptr), "[add_accumulation_hook] the hook is empty");
}

TEST_P(HookTest, OverwritesAreCounted) {
  const Tensor x = zeros({4}, device_);
  const std::uint64_t before = num_overwrites(x);
  x.slice(0, 1, 3).fill_(1);
  EXPECT_EQ(num_overwrites(x), before + 1);
  static_cast<void>(x + 1);
  EXPECT_EQ(num_overwrites(x.view({2, 2})), before + 1);
}

/// It was turned off after the recording.
TEST_P(HookTest, ALeafWithoutGradientsCallsNone) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const std::uint64_t number =
      add_accumulation_hook(x, [this](const Tensor&) { events.emplace_back("x"); });
  const Tensor y = sum(x * w);
  x.requires_grad_(false);
  y.backward({}, {.retain_graph = true});
  EXPECT_EQ(events, Names());
  remove_accumulation_hook(x, number);
  x.requires_grad_();
  y.backward();
  EXPECT_EQ(events, Names());
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{3, 4}));
  EXPECT_INVALID(remove_accumulation_hook(y, number), "[remove_accumulation_hook] no gradient",
                 "expected a leaf that requires gradients, got a result (leaf: f32 []" + on_);
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The record: what gathers where, what is freed when, and who is told.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(GraphTest);

TEST_P(GraphTest, GradientsGatherInTheLeaves) {
  const Tensor x = leaf({1, 2, 3}), y = leaf({4, 5, 6});
  EXPECT_TRUE(x.is_leaf());
  EXPECT_FALSE(x.grad().defined());
  const Tensor z = sum(x * y + x);
  EXPECT_FALSE(z.is_leaf());
  EXPECT_TRUE(z.requires_grad());
  z.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{5, 6, 7}));
  EXPECT_EQ(y.grad().to_vector<float>(), (Floats{1, 2, 3}));
  EXPECT_FALSE(z.grad().defined());
  EXPECT_EQ(x.grad().device(), device_);
}

TEST_P(GraphTest, GradientsAddUp) {
  const Tensor x = leaf({1, 2});
  sum(x * x).backward();
  const Tensor held = x.grad();
  sum(3 * x).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{5, 7}));
  EXPECT_TRUE(held.is_same(x.grad()));
  x.set_grad({});
  EXPECT_FALSE(x.grad().defined());
}

/// Two leaves that get one gradient do not share its storage.
TEST_P(GraphTest, GradientsAreTheLeafsOwn) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4}), seed = floats({1, 1});
  (x + y).backward(seed);
  x.grad().fill_(7);
  EXPECT_EQ(y.grad().to_vector<float>(), (Floats{1, 1}));
  EXPECT_EQ(seed.to_vector<float>(), (Floats{1, 1}));
}

/// Gradients that meet are added in place, but never in a tensor that somebody holds.
TEST_P(GraphTest, GradientsThatMeetLeaveThoseOfOthersAlone) {
  const Tensor x = leaf({1, 2}), y = x * 2, seed = floats({1, 3});
  Tensor seen;
  y.add_gradient_hook([&](const Tensor& grad) { return seen = grad; });
  (y + y * 5 + y).backward(seed);  // the first and the last gradient are the seed
  EXPECT_EQ(seed.to_vector<float>(), (Floats{1, 3}));
  EXPECT_EQ(seen.to_vector<float>(), (Floats{7, 21}));
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{14, 42}));
}

/// One tensor in many places, joined again.
TEST_P(GraphTest, PathsThatMeetAreWalkedOnce) {
  const Tensor x = leaf({2});
  Tensor y = x;
  for (int i = 0; i < 20; ++i) y = y + y;  // 2^20 paths
  sum(y).backward();
  EXPECT_EQ(x.grad().item<float>(), 1048576.0F);
}

TEST(Graphs, OfLongChainsDoNotNeedAStack) {
  const Tensor x = full({1}, 1, test_device("cpu:0")).requires_grad_();
  {
    Tensor y = x;
    for (int i = 0; i < 50000; ++i) y = y * 1;
    sum(y).backward();
    EXPECT_EQ(x.grad().item<float>(), 1);
  }
  Tensor kept = x;
  for (int i = 0; i < 50000; ++i) kept = kept * kept;  // each saves what is before it
  kept = x;                                            // all of it goes
  EXPECT_TRUE(kept.is_leaf());
}

TEST_P(GraphTest, IsFreedByBackward) {
  const Tensor x = leaf({1, 2}), y = sum(x * x);
  y.backward();
  EXPECT_INVALID(y.backward(), "[backward] the graph was freed: mul is run for the second time");
  EXPECT_INVALID(gradients({y}, {x}), "[gradients] the graph was freed: mul is run");
  const Tensor z = sum(x * x);
  z.backward({}, {.retain_graph = true});
  z.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{6, 12}));
}

/// What keeps no tensor has nothing to free.
TEST_P(GraphTest, OfViewsAndSumsIsNotFreed) {
  const Tensor x = leaf({1, 2, 3, 4}), y = x.view({2, 2}).t().permute({1, 0}).to(device_).clone();
  const Tensor z = mean(concat({y, -y * 2}).slice(0, 0, 2).expand({3, 2, 2}) + 1);
  for (int i = 0; i < 2; ++i) z.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), Floats(4, 0.5F));
}

/// The operands that an operation keeps are not on the way from its result: a run that starts at
/// its gradient walks what made them, and y.backward() follows.
TEST_P(GraphTest, OfAGradientIsWalkedBesideThatOfTheResult) {
  const auto matrix = [&] {
    return leaf({1, 2, 3, 4, 5, 7}).detach().view({3, 2}).requires_grad_();
  };
  struct Case {
    const char* name;
    Tensor x, w;
    Tensor (*function)(const Tensor& x, const Tensor& w);
  };
  const Case cases[] = {
      {"matrix, vector", matrix(), leaf({2, -1}), matmul},
      {"vector, matrix", leaf({2, -1, 3}), matrix(), matmul},
      {"vector, vector", leaf({2, -1}), leaf({3, 4}), matmul},
      {"by the vector", leaf({2, -1}), matrix(),
       [](const Tensor& x, const Tensor& w) { return matmul(w, x); }},
      {"div", leaf({2, -1}), leaf({3, 4}), div},
      {"div by x", leaf({2, -1}), leaf({3, 4}),
       [](const Tensor& x, const Tensor& w) { return w / x; }},
      {"atan2", leaf({2, -1}), leaf({3, 4}), atan2},
      {"huber_loss", leaf({2, -1, 5}), leaf({2.5, 4, 1}),
       [](const Tensor& x, const Tensor& w) { return huber_loss(x, w, 1, LossReduction::kSum); }},
      {"mse_loss", leaf({2, -1, 5}), leaf({2.5, 4, 1}),
       [](const Tensor& x, const Tensor& w) { return mse_loss(x, w); }},
      {"batch_norm", matrix(), leaf({2, -1}),
       [](const Tensor& x, const Tensor& w) {
         return batch_norm(x, {.weight = w, .training = true}) * x.detach();
       }},
  };
  for (const auto& [name, x, w, function] : cases) {
    const std::vector<Tensor> wanted = gradients({sum(function(x, w))}, {x, w});
    const Tensor y = sum(function(x, w));
    const Tensor slope = gradients({y}, {x}, {}, {.create_graph = true})[0];
    sum(square(slope)).backward();
    x.set_grad({});
    w.set_grad({});
    ASSERT_NO_THROW(y.backward()) << name;
    EXPECT_EQ(x.grad().to_vector<float>(), wanted[0].to_vector<float>()) << name;
    EXPECT_EQ(w.grad().to_vector<float>(), wanted[1].to_vector<float>()) << name;
  }
}

TEST_P(GraphTest, AFailedBackwardIsNoFirstTime) {
  const Tensor x = leaf({1, 2}), factor = floats({3, 4});
  const Tensor product = x * factor, y = sum(exp(product));
  factor.fill_(0);
  EXPECT_INVALID(y.backward(), "[backward] b of mul was overwritten");
  const std::string freed =
      "] a part of the graph was freed by a backward that failed: exp has lost its operands. "
      "Compute the result again.";
  EXPECT_INVALID(y.backward(), "[backward" + freed);
  EXPECT_INVALID(gradients({y}, {x}), "[gradients" + freed);
  EXPECT_FALSE(x.grad().defined());
  // A later success does not change what freed the nodes.
  sum(x).backward();
  EXPECT_INVALID(y.backward(), "[backward" + freed);
  // With the graph retained the cause is told again.
  const Tensor other = floats({3, 4}), z = sum(x * other);
  other.fill_(0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_INVALID(z.backward({}, {.retain_graph = true}), "[backward] b of mul was overwritten");
  }
}

TEST_P(GraphTest, AHookThatThrowsFailsTheBackward) {
  const Tensor x = leaf({1, 2}), shared = exp(x), y = sum(shared), z = sum(shared);
  const std::uint64_t hook =
      x.add_gradient_hook([](const Tensor&) -> Tensor { throw std::runtime_error("no"); });
  EXPECT_THROW(y.backward(), std::runtime_error);
  x.remove_gradient_hook(hook);
  EXPECT_INVALID(z.backward(), "freed by a backward that failed: exp has lost");
}

TEST_P(GraphTest, FreesWhatItSaved) {
  const Tensor x = leaf(Floats(1000, 1));
  const std::size_t before = device_.memory().live_bytes;
  Tensor y = sum(exp(x * 2));
  EXPECT_GT(device_.memory().live_bytes, before + 4000);
  y.backward();
  x.set_grad({});
  device_.synchronize();
  EXPECT_LT(device_.memory().live_bytes, before + 4000);
}

TEST_P(GraphTest, HooksSeeAndReplaceGradients) {
  const Tensor x = leaf({1, 2}), y = x * 3;
  std::vector<Floats> seen;
  const std::uint64_t first = y.add_gradient_hook([&](const Tensor& grad) {
    seen.push_back(grad.to_vector<float>());
    return grad * 10;
  });
  x.add_gradient_hook([&](const Tensor& grad) {
    seen.push_back(grad.to_vector<float>());
    return Tensor();
  });
  sum(y).backward({}, {.retain_graph = true});
  EXPECT_EQ(seen, (std::vector<Floats>{{1, 1}, {30, 30}}));
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{30, 30}));
  y.remove_gradient_hook(first);
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{33, 33}));
}

TEST_P(GraphTest, GradientsOfChosenInputsTouchNoLeaf) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4}), unused = leaf({5}), middle = x * w;
  const std::vector<Tensor> got = gradients({sum(middle * middle)}, {x, middle, unused});
  EXPECT_EQ(got[0].to_vector<float>(), (Floats{18, 64}));
  EXPECT_EQ(got[1].to_vector<float>(), (Floats{6, 16}));
  EXPECT_FALSE(got[2].defined());
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(w.grad().defined());
}

TEST_P(GraphTest, SeveralOutputsAndTheirGradients) {
  const Tensor x = leaf({1, 2}), a = x * 2, b = x * x, for_a = floats({1, 0});
  const Tensor for_b = floats({0, 1});
  EXPECT_EQ(gradients({a, b}, {x}, {for_a, for_b})[0].to_vector<float>(), (Floats{2, 4}));
}

TEST_P(GraphTest, FlowsToTheLeafsDevice) {
  const Device other = test_device("cpu:1");
  const Tensor x = leaf({1, 2}), y = from_host(Floats{3, 4}, {2}, other).requires_grad_();
  const std::uint64_t there = num_copies(device_.name(), "cpu:1");
  sum(x.to(other) * y).backward();
  EXPECT_EQ(x.grad().device(), device_);
  EXPECT_EQ(y.grad().device(), other);
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{3, 4}));
  EXPECT_EQ(y.grad().to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(num_copies(device_.name(), "cpu:1"), there + 1);  // none but the one asked for
}

TEST_P(GraphTest, CastsCarryGradientsBetweenFloats) {
  if (!device_.properties().f64) GTEST_SKIP() << "the device has no f64";
  const Tensor x = leaf({1, 2}), y = x.cast(DType::f64);
  EXPECT_TRUE(y.requires_grad());
  sum(y * y).backward();
  EXPECT_EQ(x.grad().dtype(), DType::f32);
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{2, 4}));
  EXPECT_FALSE(x.cast(DType::i32).requires_grad());
}

TEST_P(GraphTest, OperandsOnAnotherDeviceThatNeedGradientsAreNoScalars) {
  const Tensor scalar = full({}, 2, test_device("cpu:1")).requires_grad_(), t = floats({1, 2});
  EXPECT_ERROR(t * scalar, kDeviceMismatch,
               "[mul] operands are on different devices (a: f32 [2]" + on_);
}

TEST_P(GraphTest, DetachCuts) {
  const Tensor x = leaf({1, 2}), y = (x * 2).detach();
  EXPECT_FALSE(y.requires_grad());
  EXPECT_TRUE(y.is_leaf());
  const Tensor z = x.detach();
  EXPECT_EQ(z.buffer(), x.buffer());
  EXPECT_FALSE(z.requires_grad());
}

TEST_P(GraphTest, ErrorsSayWhatIsWrong) {
  const Tensor x = leaf({1, 2}), plain = floats({1, 2});
  EXPECT_INVALID(plain.backward(),
                 "[backward] tensor requires no gradients (tensor: f32 [2]" + on_ +
                     "). Call requires_grad_() on what it is made of, outside of NoGrad.");
  EXPECT_ERROR((x * 2).backward(), kShapeMismatch, "[backward]",
               "an output of more than one element needs a gradient of shape [2] (output: f32 [2]" +
                   on_ + "). Give one, or reduce the output first, for example with sum().");
  EXPECT_ERROR((x * 2).backward(ones({3}, device_)), kShapeMismatch,
               "[backward] shapes differ: expected a gradient of shape [2], got [3]");
  EXPECT_ERROR((x * 2).backward(ones({2}, {DType::i32, device_})), kDtypeMismatch,
               "[backward] operands have different dtypes: expected gradient of f32 like output");
  EXPECT_ERROR(
      (x * 2).backward(ones({2}, test_device("cpu:1"))), kDeviceMismatch,
      "[backward] operands are on different devices (output: f32 [2]" + on_ +
          "; gradient: f32 [2] on cpu:1). Copy gradient first: gradient.to(output.device()).");
  EXPECT_ERROR(x.set_grad(ones({3}, device_)), kShapeMismatch,
               "[set_grad] shapes differ: expected a gradient of shape [2], got [3]");
  EXPECT_INVALID(
      (x * 2).requires_grad_(),
      "[requires_grad_] the tensor is not a leaf: it is the result of mul (tensor: f32 [2]" + on_ +
          "). Call it on tensor.detach().");
  EXPECT_ERROR(ones({2}, {DType::i32, device_}).requires_grad_(), kDtypeMismatch,
               "[requires_grad_] is not defined for i32",
               "one of f32, f64, f16, bf16, c64, c128, got i32");
  EXPECT_INVALID(plain.add_gradient_hook([](const Tensor&) { return Tensor(); }),
                 "[add_gradient_hook] the tensor does not require gradients (tensor: f32 [2]" +
                     on_ + "). Call requires_grad_() first.");
  EXPECT_INVALID(x.add_gradient_hook({}),
                 "[add_gradient_hook] the hook is empty (tensor: f32 [2]" + on_);
  EXPECT_INVALID(gradients({sum(x)}, {x}, {{}, {}}),
                 "[gradients] wrong number of gradients: expected 1, one for each output, got 2.");
}

TEST_P(GraphTest, HooksGiveWhatTheySaw) {
  const Tensor x = ones({3}, device_).requires_grad_();
  const auto refuses = [&](auto hook) {
    const std::uint64_t number = x.add_gradient_hook(hook);
    EXPECT_INVALID(sum(x).backward(),
                   "[backward] a gradient hook gave another kind of tensor: expected f32 [3]");
    x.remove_gradient_hook(number);
  };
  refuses([](const Tensor& g) { return sum(g); });
  refuses([](const Tensor& g) { return g.cast(DType::i32); });
  EXPECT_FALSE(x.grad().defined());
}

/// With create_graph too.
TEST_P(GraphTest, RecordedGradientsAreTheLeafsOwn) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4}), seed = floats({1, 1});
  (x + y).backward(seed, {.create_graph = true});
  x.grad().fill_(7);
  EXPECT_EQ(y.grad().to_vector<float>(), (Floats{1, 1}));
  EXPECT_EQ(seed.to_vector<float>(), (Floats{1, 1}));
  const Tensor z = leaf({1, 2, 3});
  sum(z).backward({}, {.create_graph = true});
  EXPECT_EQ(z.grad().strides(), Shape{1});
  sum(z).backward();
  EXPECT_EQ(z.grad().to_vector<float>(), Floats(3, 2));
}

TEST_P(GraphTest, ALeafMayBeItsOwnGradient) {
  const Tensor x = leaf({1, 2});
  for (const Floats& expected : {Floats{1, 2}, Floats{2, 4}}) {
    (x + 1).backward(x, {.create_graph = true});
    EXPECT_FALSE(x.grad().is_same(x));
    EXPECT_EQ(x.grad().detach().to_vector<float>(), expected);
  }
  EXPECT_EQ(gradients({sum(x.grad())}, {x})[0].to_vector<float>(), (Floats{2, 2}));
  x.set_grad({});  // its graph keeps the leaf, and the leaf the gradient
}

/// An expanded gradient, and one that shares elements with what is added.
TEST_P(GraphTest, AGradientThatCanNotBeWrittenIsReplaced) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  y.set_grad(full({1}, 5, device_).expand({2}));
  sum(x + y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{1, 1}));
  EXPECT_EQ(y.grad().to_vector<float>(), (Floats{6, 6}));
  const Tensor all = floats({1, 2, 3});
  x.set_grad(all.slice(0, 0, 2));
  (x + 0).backward(all.slice(0, 1, 3));
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{3, 5}));
  EXPECT_EQ(all.to_vector<float>(), (Floats{1, 2, 3}));
}

TEST_P(GraphTest, ALeafThatWasTurnedOffReceivesNothing) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  int calls = 0;
  const std::uint64_t hook = x.add_gradient_hook([&](const Tensor& grad) {
    ++calls;
    return grad;
  });
  const Tensor y = sum(x * w);
  x.requires_grad_(false);
  y.backward({}, {.retain_graph = true});
  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{1, 2}));
  x.remove_gradient_hook(hook);
  x.requires_grad_();
  y.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{3, 4}));
  EXPECT_EQ(calls, 1);
}

/// As those of results.
TEST_P(GraphTest, HooksOfInputsMakeWhatGradientsGives) {
  const Tensor x = leaf({1, 2}), other = leaf({1, 2});
  int calls = 0;
  for (const Tensor& each : {x, other}) {
    each.add_gradient_hook([&](const Tensor& grad) {
      ++calls;
      return grad * 2;
    });
  }
  const Tensor middle = x * 3;
  middle.add_gradient_hook([](const Tensor& grad) { return grad * 5; });
  const std::vector<Tensor> got = gradients({sum(middle * other)}, {x, middle, x});
  EXPECT_EQ(got[0].to_vector<float>(), (Floats{30, 60}));
  EXPECT_EQ(got[1].to_vector<float>(), (Floats{5, 10}));
  EXPECT_EQ(got[2].to_vector<float>(), (Floats{30, 60}));
  EXPECT_EQ(calls, 1);
}

TEST_P(GraphTest, ASliceMayHaveAHugeStep) {
  const Tensor x = leaf({1, 2, 3});
  sum(x.slice(0, 1, INT64_MAX, INT64_MAX)).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{0, 1, 0}));
  x.set_grad({});
  const Tensor y = x.slice(0, 1, 3, INT64_MAX - 1);
  const Tensor first = gradients({sum(y * y)}, {x}, {}, {.create_graph = true})[0];
  EXPECT_EQ(first.detach().to_vector<float>(), (Floats{0, 4, 0}));
  EXPECT_EQ(gradients({sum(first)}, {x})[0].to_vector<float>(), (Floats{0, 2, 0}));
}

}  // namespace
}  // namespace patchbay::test

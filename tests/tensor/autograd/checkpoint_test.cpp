// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Functions that are run again in place of keeping what they made.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(CheckpointTest);

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

TEST_P(CheckpointTest, DrawsTheSameNumbersAgain) {
  const Generator generator = default_generator(device_.runtime());
  const auto drop = [&](const std::vector<Tensor>& in) {
    return in[0] * dropout_mask(0.5, {1000}, device_).cast(DType::f32);
  };
  const Tensor x = ones({1000}, device_).requires_grad_();
  Tensor y;
  const auto step = [&] {
    x.set_grad({});
    y = checkpoint(drop, {x});
    static_cast<void>(rand({3}, device_));  // in between
    y.backward(ones({1000}, device_));
  };
  generator.manual_seed(11);
  step();
  const Floats mask = y.to_vector<float>();
  EXPECT_EQ(x.grad().to_vector<float>(), mask);
  EXPECT_EQ(generator.state(), (Generator::State{11, 2}));
  const Graph graph = record_graph(step);
  generator.manual_seed(11);
  graph.replay();
  EXPECT_EQ(y.to_vector<float>(), mask);
  EXPECT_EQ(x.grad().to_vector<float>(), mask);
  graph.replay();
  EXPECT_NE(y.to_vector<float>(), mask);
  EXPECT_EQ(x.grad().to_vector<float>(), y.to_vector<float>());
  EXPECT_EQ(generator.state(), (Generator::State{11, 4}));
}

TEST_P(CheckpointTest, DrawsTheSameNumbersAgainFromAGeneratorOfTheFunction) {
  const Generator generator(7);
  const auto drop = [&](const std::vector<Tensor>& in) {
    return in[0] * dropout_mask(0.5, {1000}, device_, generator).cast(DType::f32);
  };
  const Tensor x = ones({1000}, device_).requires_grad_(), y = checkpoint(drop, {x});
  static_cast<void>(rand({3}, device_, generator));  // in between
  y.backward(ones({1000}, device_));
  EXPECT_EQ(x.grad().to_vector<float>(), y.to_vector<float>());
  EXPECT_EQ(generator.state(), (Generator::State{7, 2}));
}

/// Other threads draw from the generator while backward repeats the forward's draws.
TEST_P(CheckpointTest, SetsNoSharedGeneratorBack) {
  const Generator generator(11);
  std::atomic<bool> is_over{false};
  std::uint64_t num_drawn = 0, num_back = 0;
  std::thread other([&] {
    for (std::uint64_t last = 0; !is_over; ++num_drawn) {
      const std::uint64_t offset = generator.advance(1).offset;
      num_back += num_drawn > 0 && offset <= last ? 1 : 0;
      last = offset;
    }
  });
  constexpr int kSteps = 20;
  for (int i = 0; i < kSteps; ++i) {
    const Tensor x = ones({1000}, device_).requires_grad_();
    const auto drop = [&](const std::vector<Tensor>& in) {
      return in[0] * dropout_mask(0.5, {1000}, device_, generator).cast(DType::f32);
    };
    const Tensor y = checkpoint(drop, {x});
    y.backward(ones({1000}, device_));
    EXPECT_EQ(x.grad().to_vector<float>(), y.to_vector<float>());
  }
  is_over = true;
  other.join();
  EXPECT_EQ(num_back, 0u);
  EXPECT_EQ(generator.state(), (Generator::State{11, num_drawn + kSteps}));
}

TEST_P(CheckpointTest, MovesRunningStatisticsOnce) {
  const auto train = [&](bool lean) {
    const Tensor mean = zeros({3}, device_), variance = ones({3}, device_);
    const Tensor x = from_host<float>({1, 2, 3, 4, 5, 7}, {2, 3}, device_).requires_grad_();
    BatchNormOptions options;
    options.running_mean = mean;
    options.running_var = variance;
    options.training = true;
    const auto norm = [&](const std::vector<Tensor>& in) { return batch_norm(in[0], options); };
    const Tensor y = lean ? checkpoint(norm, {x}) : norm({x});
    y.backward(ones({2, 3}, device_));
    Floats all = mean.to_vector<float>();
    const Floats variances = variance.to_vector<float>();
    all.insert(all.end(), variances.begin(), variances.end());
    return all;
  };
  EXPECT_EQ(train(true), train(false));
}

TEST_P(CheckpointTest, HasNoSecondDerivative) {
  const Tensor x = ones({3}, device_).requires_grad_();
  const Tensor y = checkpoint([](const std::vector<Tensor>& in) { return in[0] * in[0]; }, {x});
  EXPECT_ERROR(gradients({sum(y)}, {x}, {}, {.create_graph = true}), kUnsupported,
               "[checkpoint] gradients of a checkpoint can't be recorded");
}

TEST_P(CheckpointTest, GradientsFlowToWhatIsCaptured) {
  const Tensor weight = full({3}, 4, device_).requires_grad_();
  for (const bool of_input : {false, true}) {
    weight.set_grad({});
    const Tensor x = full({3}, 2, device_);
    if (of_input) x.requires_grad_();
    const Tensor y = checkpoint([&](const std::vector<Tensor>& in) { return in[0] * weight; }, {x});
    sum(y).backward();
    EXPECT_EQ(weight.grad().to_vector<float>(), Floats(3, 2)) << of_input;
  }
}

TEST_P(CheckpointTest, GradientsGoToNoLeaf) {
  const Tensor x = full({3}, 2, device_).requires_grad_();
  const Tensor weight = full({3}, 4, device_).requires_grad_();
  const auto product = [](const std::vector<Tensor>& in) { return in[0] * in[1]; };
  const Tensor y = sum(checkpoint(product, {x, weight}) * weight);
  const std::vector<Tensor> found = gradients({y}, {x, weight});
  EXPECT_EQ(found[0].to_vector<float>(), Floats(3, 16));
  EXPECT_EQ(found[1].to_vector<float>(), Floats(3, 16));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(weight.grad().defined());
  const Tensor z =
      sum(checkpoint([&](const std::vector<Tensor>& in) { return in[0] * weight; }, {x}));
  EXPECT_ERROR(gradients({z}, {x, weight}), kUnsupported,
               "[gradients] the function of a checkpoint captures a tensor that requires gradients "
               "(captured: f32 [3] on");
  EXPECT_FALSE(weight.grad().defined());
}

TEST_P(CheckpointTest, MayNotOverwriteWhatRequiresGradients) {
  const Tensor x = ones({3}, device_).requires_grad_();
  const Tensor weight = ones({3}, device_).requires_grad_();
  const auto refused = [&](auto&& function, const std::string& message) {
    EXPECT_INVALID(checkpoint(function, {x}), message);
  };
  refused([](const std::vector<Tensor>& in) { return in[0].fill_(2) * 2; },
          "[fill_] tensor requires gradients, so a recorded graph may need it");
  refused([&](const std::vector<Tensor>& in) { return in[0] * (weight += 1); },
          "[add] a requires gradients, which do not flow into a destination");
  EXPECT_EQ(x.to_vector<float>(), Floats(3, 1));
  EXPECT_EQ(weight.to_vector<float>(), Floats(3, 1));
  static_cast<void>(checkpoint(
      [&](const std::vector<Tensor>& in) {
        const NoGrad scope;
        weight.fill_(5);
        return in[0] * 2;
      },
      {x}));
  EXPECT_EQ(weight.to_vector<float>(), Floats(3, 5));
}

TEST_P(CheckpointTest, OfIntegersIsNotRecorded) {
  const Tensor x = ones({3}, device_).requires_grad_();
  const Tensor y = checkpoint([](const std::vector<Tensor>& in) { return argmax(in[0]); }, {x});
  EXPECT_FALSE(y.requires_grad());
}

TEST_P(CheckpointTest, RunsBackInsideAnInferenceMode) {
  const Tensor x = full({3}, 2, device_).requires_grad_();
  const Tensor y =
      sum(checkpoint([](const std::vector<Tensor>& in) { return in[0] * in[0]; }, {x}));
  const InferenceMode scope;
  y.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), Floats(3, 4));
}

TEST_P(CheckpointTest, NeedsAFunctionAndItsResult) {
  const Tensor x = ones({3}, device_).requires_grad_();
  EXPECT_INVALID(checkpoint({}, {x}), "[checkpoint] the function is empty");
  for (const Tensor& input : {x, x.detach()}) {
    EXPECT_INVALID(checkpoint([](const auto&) { return Tensor(); }, {input}),
                   "[checkpoint] the function's result is undefined");
  }
}

TEST_P(CheckpointTest, NeedsAnInput) {
  EXPECT_INVALID(checkpoint([](const auto&) { return Tensor(); }, {}),
                 "[checkpoint] the list of inputs is empty");
}

TEST_P(CheckpointTest, RetainsWhatIsCaptured) {
  const Tensor weight = full({3}, 3, device_).requires_grad_();
  const Tensor x = full({3}, 2, device_).requires_grad_(), captured = square(weight);
  const auto function = [&](const std::vector<Tensor>& in) { return in[0] * captured; };
  const Tensor y = sum(checkpoint(function, {x})) + sum(captured);
  y.backward({}, {.retain_graph = true});
  EXPECT_EQ(x.grad().to_vector<float>(), Floats(3, 9));
  EXPECT_EQ(weight.grad().to_vector<float>(), Floats(3, 18));
  y.backward({}, {.retain_graph = true});
  EXPECT_EQ(x.grad().to_vector<float>(), Floats(3, 18));
  EXPECT_EQ(weight.grad().to_vector<float>(), Floats(3, 36));
}

/// What the second run refuses, the first one refuses.
TEST_P(CheckpointTest, BothRunsRefuseTheSame) {
  const Tensor x = ones({3}, device_).requires_grad_();
  const auto into_another = [&](const std::vector<Tensor>& in) {
    return Tensor(add_out(empty({3}, device_), in[0], 1));
  };
  EXPECT_INVALID(checkpoint(into_another, {x}), "[add] a requires gradients,",
                 "expected an operand without, got a: f32 [3]" + on_);
  const Tensor number = full({}, 2, test_device("cpu:1")).requires_grad_();
  const auto by_number = [&](const std::vector<Tensor>& in) { return in[0] * number; };
  EXPECT_ERROR(checkpoint(by_number, {x}), kDeviceMismatch,
               "b requires gradients, and so is not taken as a number.");
  const CustomFunction grown(
      "grown",
      [](FunctionContext&, const std::vector<Tensor>& in) {
        in[0] += 1;
        return in;
      },
      [](const FunctionContext&, const std::vector<Tensor>& grads) { return grads; });
  EXPECT_INVALID(checkpoint([&](const auto& in) { return grown(in)[0]; }, {x}),
                 "[grown] forward wrote to input 0, which requires gradients");
  const auto unrecorded = [&](const std::vector<Tensor>& in) {
    const NoGrad scope;
    return Tensor(add_out(empty({3}, device_), in[0], number));
  };
  EXPECT_EQ(checkpoint(unrecorded, {x.detach().fill_(1).requires_grad_()}).to_vector<float>(),
            Floats(3, 3));
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Training steps in recorded graphs beside the same steps one by one: equal to the last bit.
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <patchbay/nn.h>
#include <patchbay/patchbay.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;
using MakeOptimizer =
    std::function<std::unique_ptr<nn::Optimizer>(const std::vector<nn::Parameter>&)>;

struct Kind {
  const char* name;
  MakeOptimizer make;
};

template <class T, class Options>
MakeOptimizer maker(const Options& options) {
  return [options](const std::vector<nn::Parameter>& parameters) {
    return std::make_unique<T>(parameters, options);
  };
}

std::vector<Kind> kinds() {
  SgdOptions plain{.learning_rate = 0.1}, decayed = plain, momentum = plain;
  decayed.weight_decay = 0.01;
  momentum.momentum = 0.9;
  SgdOptions dampened = momentum, nesterov = momentum;
  dampened.dampening = 0.3;
  nesterov.nesterov = true;
  AdamOptions adam{.learning_rate = 0.1}, adam_decayed = adam;
  adam_decayed.weight_decay = 0.05;
  return {{"SGD", maker<nn::SGD>(plain)},
          {"SGD with decay", maker<nn::SGD>(decayed)},
          {"SGD with momentum", maker<nn::SGD>(momentum)},
          {"SGD with dampening", maker<nn::SGD>(dampened)},
          {"SGD of Nesterov", maker<nn::SGD>(nesterov)},
          {"Adam", maker<nn::Adam>(adam)},
          {"Adam with decay", maker<nn::Adam>(adam_decayed)},
          {"AdamW", maker<nn::AdamW>(nn::AdamWOptions{.learning_rate = 0.1})}};
}

/// All that a run of training leaves.
struct Outcome {
  std::vector<Floats> values;
  std::int64_t num_steps = 0;
  std::vector<std::int64_t> parameter_steps;
  double rate = 0;

  bool operator==(const Outcome&) const = default;
};

Floats floats_of(const Tensor& tensor) {
  return tensor.detach().cast(DType::f32).to_vector<float>();
}

Outcome outcome_of(const nn::Optimizer& optimizer) {
  const nn::Optimizer::State state = optimizer.state();
  Outcome outcome{{}, optimizer.num_steps(), state.parameter_steps, optimizer.learning_rate()};
  for (const nn::Parameter& each : optimizer.parameters()) {
    outcome.values.push_back(floats_of(each.value()));
  }
  for (const auto& list : state.lists) {
    for (const Tensor& each : list) {
      if (each.defined()) outcome.values.push_back(floats_of(each));
    }
  }
  return outcome;
}

/// A step down the squares of the parameter.
std::function<void()> descent(nn::Optimizer& optimizer, const nn::Parameter& of) {
  return [&optimizer, of] {
    optimizer.zero_grad();
    sum(square(of.value())).backward();
    optimizer.step();
  };
}

enum class Way { kEager, kGraph, kWarmGraph };

class RecordedStepTest : public DeviceTest {
 protected:
  static constexpr int kSteps = 7;

  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped()) manual_seed(11);
  }

  /// Runs `step` so often in that way; `before(i)` runs before step i.
  static void run(Way way, const std::function<void()>& step, int steps,
                  const std::function<void(int)>& before) {
    std::optional<Graph> graph;
    for (int i = 0; i < steps; ++i) {
      before(i);
      const bool is_eager = way == Way::kEager || (way == Way::kWarmGraph && i < 2);
      if (is_eager) {
        step();
        continue;
      }
      if (!graph) graph = record_graph(step);
      graph->replay();
    }
  }

  /// A gradient for step i, of 3 elements.
  static Floats gradient(int i) {
    const float sign = i % 2 == 0 ? 1.0F : -0.4F;
    return {sign, 0.01F * static_cast<float>(i) * sign, i % 3 == 0 ? 0.0F : 7.5F};
  }

  /// Trains two parameters, of which the second has a gradient from the third step on.
  Outcome trained(const MakeOptimizer& make, Way way, DType dtype,
                  const std::function<void(nn::Optimizer&, int)>& between) const {
    const nn::Parameter a(from_host<float>({1, -2, 0.5F}, {3}, device_).cast(dtype)),
        b(from_host<float>({3, 0, -1}, {3}, device_).cast(dtype));
    const auto optimizer = make({a, b});
    const Tensor slope = zeros({3}, {DType::f32, device_});
    const auto step = [&] {
      optimizer->zero_grad();
      sum(a->cast(DType::f32) * slope + b->cast(DType::f32) * slope * 0.5).backward();
      optimizer->step();
    };
    run(way, step, kSteps, [&](int i) {
      slope.copy_from(from_host<float>(gradient(i), {3}, device_));
      between(*optimizer, i);
    });
    return outcome_of(*optimizer);
  }

  void expect_equal_ways(DType dtype, const std::function<void(nn::Optimizer&, int)>& between) {
    for (const Kind& kind : kinds()) {
      const Outcome expected = trained(kind.make, Way::kEager, dtype, between);
      EXPECT_EQ(expected.num_steps, kSteps);
      EXPECT_EQ(trained(kind.make, Way::kGraph, dtype, between), expected) << kind.name;
      EXPECT_EQ(trained(kind.make, Way::kWarmGraph, dtype, between), expected) << kind.name;
    }
  }
};
PATCHBAY_ON_EACH_DEVICE(RecordedStepTest);

TEST_P(RecordedStepTest, EachOptimizerEqualsItsEagerSteps) {
  expect_equal_ways(DType::f32, [](nn::Optimizer&, int) {});
}

TEST_P(RecordedStepTest, EachOptimizerEqualsItsEagerStepsIn16Bits) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const DeviceProperties& has = device_.properties();
    if (dtype == DType::f16 ? !has.f16 : !has.bf16) continue;
    expect_equal_ways(dtype, [](nn::Optimizer&, int) {});
  }
}

TEST_P(RecordedStepTest, EachOptimizerEqualsItsEagerStepsInF64) {
  if (!device_.properties().f64) GTEST_SKIP() << "the device has no f64";
  const nn::Parameter start(from_host<double>({1, -2}, {2}, device_));
  for (const Kind& kind : kinds()) {
    std::vector<std::vector<double>> results;
    for (const Way way : {Way::kEager, Way::kGraph}) {
      const nn::Parameter a(start->detach().clone());
      const auto optimizer = kind.make({a});
      const auto step = descent(*optimizer, a);
      run(way, step, kSteps, [](int) {});
      results.push_back(a->to_vector<double>());
    }
    EXPECT_EQ(results[1], results[0]) << kind.name;
  }
}

TEST_P(RecordedStepTest, ReplaysFollowTheLearningRate) {
  expect_equal_ways(DType::f32, [](nn::Optimizer& optimizer, int i) {
    if (i == 3) optimizer.set_learning_rate(0);
    if (i == 5) optimizer.set_learning_rate(0.37);
  });
}

TEST_P(RecordedStepTest, ReplaysFollowASchedule) {
  std::optional<nn::Schedule> schedule;
  expect_equal_ways(DType::f32, [&](nn::Optimizer& optimizer, int i) {
    if (i == 0) {
      schedule.emplace(optimizer, nn::cosine(kSteps));
    } else {
      schedule->step();
    }
  });
}

/// A rate that the recorded function sets is set by each replay.
TEST_P(RecordedStepTest, ARecordedRateIsSetByEachReplay) {
  const nn::Parameter a(ones({1}, device_));
  nn::SGD optimizer({a}, {.learning_rate = 1});
  const Graph graph = record_graph([&] {
    optimizer.set_learning_rate(0.25);
    optimizer.zero_grad();
    sum(a.value()).backward();
    optimizer.step();
  });
  graph.replay();
  EXPECT_EQ(floats_of(a.value()), Floats{0.75F});
  optimizer.set_learning_rate(8);
  EXPECT_EQ(optimizer.learning_rate(), 8);
  graph.replay();
  EXPECT_EQ(floats_of(a.value()), Floats{0.5F});
  EXPECT_EQ(optimizer.learning_rate(), 0.25);
}

/// Each parameter has a count of its own, also where graphs advance different ones.
TEST_P(RecordedStepTest, EachParameterCountsItsSteps) {
  const auto outcome = [&](bool is_recorded) {
    const nn::Parameter a(ones({2}, device_)), b(ones({2}, device_));
    nn::Adam optimizer({a, b}, {.learning_rate = 0.1});
    const auto first = descent(optimizer, a), second = descent(optimizer, b);
    if (is_recorded) {
      const Graph one = record_graph(first), other = record_graph(second);
      for (int i = 0; i < 3; ++i) one.replay();
      other.replay();
      first();  // without the graph
    } else {
      for (int i = 0; i < 3; ++i) first();
      second();
      first();
    }
    return outcome_of(optimizer);
  };
  const Outcome eager = outcome(false);
  EXPECT_EQ(eager.parameter_steps, (std::vector<std::int64_t>{4, 1}));
  EXPECT_EQ(outcome(true), eager);
}

/// Clipping, dropout and a loss scale, of which steps overflow.
TEST_P(RecordedStepTest, AWholeStepEqualsTheEagerOne) {
  const auto outcome = [&](Way way) {
    manual_seed(5);
    nn::Sequential net(nn::Linear(4, 8, {.tensor = device_}), nn::Dropout(0.5),
                       nn::Linear(8, 1, {.tensor = device_}));
    nn::AdamW optimizer(net.parameters(), {.learning_rate = 0.05});
    nn::Schedule schedule(optimizer, nn::exponential(0.9));
    nn::LossScaler scaler({.scale = 1024, .growth_interval = 2});
    const Tensor x = zeros({6, 4}, device_), factor = zeros({}, device_);
    std::optional<nn::ScaledStep> answer;
    Floats answers, scales;
    const auto step = [&] {
      optimizer.zero_grad();
      scaler.scale(mean(square(net(x))) * factor).backward();
      (void)nn::clip_grad_norm(optimizer.parameters(), 0.5 * scaler.scale());
      answer = scaler.step(optimizer);
    };
    const auto note = [&](int i) {
      if (i == 0) return;
      answers.push_back(*answer ? 1 : 0);
      scales.push_back(static_cast<float>(double{scaler.scale()}));
    };
    run(way, step, 9, [&](int i) {
      note(i);
      fill_uniform(x, -1, 1);
      factor.fill_(i == 4 || i == 5 ? std::numeric_limits<double>::infinity() : 1);
      if (i > 0) schedule.step();
    });
    note(9);
    Outcome result = outcome_of(optimizer);
    const nn::LossScaler::State state = scaler.state();
    result.values.push_back(answers);
    result.values.push_back(scales);
    result.values.push_back(
        {static_cast<float>(state.scale), static_cast<float>(state.num_good_steps)});
    return result;
  };
  const Outcome expected = outcome(Way::kEager);
  EXPECT_EQ(expected.num_steps, 7);
  EXPECT_EQ(expected.values.end()[-3], (Floats{1, 1, 1, 1, 0, 0, 1, 1, 1}));
  EXPECT_EQ(outcome(Way::kGraph), expected);
  EXPECT_EQ(outcome(Way::kWarmGraph), expected);
}

TEST_P(RecordedStepTest, TheAnswerOfARecordedScalerComesWithAReplay) {
  const nn::Parameter a(ones({1}, device_));
  nn::SGD optimizer({a}, {.learning_rate = 1});
  nn::LossScaler scaler({.scale = 4});
  std::optional<nn::ScaledStep> answer;
  const Graph graph = record_graph([&] {
    optimizer.zero_grad();
    scaler.scale(sum(a.value())).backward();
    answer = scaler.step(optimizer);
    EXPECT_INVALID(static_cast<bool>(*answer), "a graph is being recorded");
    EXPECT_INVALID(double{scaler.scale()}, "a graph is being recorded");
  });
  EXPECT_INVALID(static_cast<bool>(*answer), "was not replayed yet");
  graph.replay();
  EXPECT_TRUE(*answer);
  EXPECT_EQ(optimizer.num_steps(), 1);
  EXPECT_EQ(floats_of(a.value()), Floats{0});
}

/// A checkpoint that was taken between replays, in another optimiser and in the same one.
TEST_P(RecordedStepTest, StatesAreThoseOfEagerSteps) {
  for (const Kind& kind : kinds()) {
    const nn::Parameter a(ones({2}, device_));
    const auto optimizer = kind.make({a});
    const auto step = descent(*optimizer, a);
    const Graph graph = record_graph(step);
    graph.replay();
    graph.replay();
    nn::Optimizer::State state = optimizer->state();
    EXPECT_EQ(state.num_steps, 2);
    for (auto& list : state.lists) {
      for (Tensor& each : list) each = each.clone();
    }
    const Tensor kept = a->detach().clone();
    const nn::Parameter b(kept.clone());
    const auto other = kind.make({b});
    other->set_state(state);
    descent(*other, b)();
    graph.replay();
    EXPECT_EQ(outcome_of(*other), outcome_of(*optimizer)) << kind.name;
    // Back again: the next replay goes on from there.
    const Outcome after = outcome_of(*optimizer);
    {
      const NoGrad scope;
      a->copy_from(kept);
    }
    optimizer->set_state(state);
    graph.replay();
    EXPECT_EQ(outcome_of(*optimizer), after) << kind.name;
  }
}

/// The device has the counts of recorded steps, and a recording can't ask it.
TEST_P(RecordedStepTest, ARecordingCanNotAskForTheCount) {
  const nn::Parameter a(ones({2}, device_));
  nn::Adam optimizer({a});
  sum(a.value()).backward();
  const Graph graph = record_graph([&] {
    optimizer.step();
    EXPECT_INVALID(
        optimizer.num_steps(),
        "[num_steps] a graph is being recorded, whose replays count the steps on the device: "
        "expected the question outside of the recording. Ask before it or after");
    EXPECT_INVALID(optimizer.state(), "[state] a graph is being");
  });
  graph.replay();
  EXPECT_EQ(optimizer.num_steps(), 1);
}

TEST_P(RecordedStepTest, EagerStepsCountForNothing) {
  const nn::Parameter a(ones({2}, device_));
  nn::Adam optimizer({a});
  sum(a.value()).backward();
  optimizer.step();
  device_.synchronize();
  const CopyGuard guard(CopyGuard::Mode::kForbid);
  optimizer.step();
  EXPECT_EQ(optimizer.num_steps(), 2);
  // Nor does a recording copy anything.
  const Graph graph = record_graph([&] { optimizer.step(); });
  graph.replay();
}

/// A scaler that was recorded with one optimiser leaves out the steps of another one too.
TEST_P(RecordedStepTest, AScalerServesRecordedAndEagerOptimizers) {
  const nn::Parameter a(ones({1}, device_)), b(ones({1}, device_));
  nn::SGD recorded({a}, {.learning_rate = 1}), eager({b}, {.learning_rate = 1});
  nn::LossScaler scaler({.scale = 4});
  const Graph graph = record_graph([&] {
    recorded.zero_grad();
    scaler.scale(sum(a.value())).backward();
    static_cast<void>(scaler.step(recorded));
  });
  graph.replay();
  b->set_grad(full({1}, std::numeric_limits<double>::infinity(), device_));
  EXPECT_FALSE(scaler.step(eager));
  EXPECT_EQ(floats_of(b.value()), Floats{1});
  EXPECT_EQ(eager.num_steps(), 0);
  EXPECT_EQ(scaler.scale(), 2);
  b->set_grad(full({1}, 1, device_));
  EXPECT_TRUE(scaler.step(eager));
  EXPECT_EQ(floats_of(b.value()), Floats{0.5F});
  EXPECT_EQ(eager.num_steps(), 1);
}

/// A recorded backward step follows what eager steps make of the scale.
TEST_P(RecordedStepTest, ARecordedLossHasTheScaleOfEagerSteps) {
  const nn::Parameter a(ones({1}, device_));
  nn::SGD optimizer({a}, {.learning_rate = 1});
  nn::LossScaler scaler({.scale = 4});
  const Tensor slope = full({}, std::numeric_limits<double>::infinity(), device_);
  const Graph graph = record_graph([&] {
    optimizer.zero_grad();
    scaler.scale(sum(a.value()) * slope).backward();
  });
  graph.replay();
  EXPECT_FALSE(scaler.step(optimizer));
  EXPECT_EQ(scaler.scale(), 2);
  slope.fill_(0.25);
  graph.replay();
  EXPECT_EQ(floats_of(a->grad()), Floats{0.5F});
  EXPECT_TRUE(scaler.step(optimizer));
  EXPECT_EQ(floats_of(a.value()), Floats{0.75F});
}

/// Also a state without tensors reaches the graph.
TEST_P(RecordedStepTest, TheFirstStateComesBack) {
  for (const Kind& kind : kinds()) {
    const nn::Parameter a(ones({2}, device_));
    const auto optimizer = kind.make({a});
    const nn::Optimizer::State initial = optimizer->state();
    const Graph graph = record_graph(descent(*optimizer, a));
    graph.replay();
    graph.replay();
    const Floats after = floats_of(a.value());
    {
      const NoGrad scope;
      a->fill_(1);
    }
    optimizer->set_state(initial);
    EXPECT_EQ(optimizer->num_steps(), 0) << kind.name;
    graph.replay();
    graph.replay();
    EXPECT_EQ(floats_of(a.value()), after) << kind.name;
  }
}

/// Without a recording a state stays as it is.
TEST_P(RecordedStepTest, EagerStatesCanBeExchanged) {
  const nn::Parameter a(ones({1}, device_)), b(full({1}, 2, device_));
  SgdOptions options{.learning_rate = 1};
  options.momentum = 0.5;
  nn::SGD one({a}, options), other({b}, options);
  a->set_grad(full({1}, 3, device_));
  b->set_grad(full({1}, 5, device_));
  one.step();
  other.step();
  const nn::Optimizer::State of_one = one.state(), of_other = other.state();
  one.set_state(of_other);
  other.set_state(of_one);
  EXPECT_EQ(floats_of(one.state().lists[0][0]), Floats{5});
  EXPECT_EQ(floats_of(other.state().lists[0][0]), Floats{3});
}

/// What is kept between steps is made outside of the recording; so is a lazy layer's first weight.
TEST_P(RecordedStepTest, ALazyLayerIsMadeOnce) {
  nn::LazyLinear layer(2, {.tensor = device_});
  const Tensor x = ones({3, 4}, device_);
  Tensor y;
  const Graph graph = record_graph([&] {
    const NoGrad scope;
    y = layer(x);
  });
  const Floats weight = floats_of(layer.weight.value());
  graph.replay();
  const Floats first = floats_of(y);
  graph.replay();
  EXPECT_EQ(floats_of(layer.weight.value()), weight);
  EXPECT_EQ(floats_of(y), first);
}

TEST_P(RecordedStepTest, BatchNormMovesItsStatistics) {
  const auto outcome = [&](Way way) {
    nn::BatchNorm norm(2, {.tensor = device_});
    const Tensor x = from_host<float>({1, 2, 3, 4, 5, 7}, {3, 2}, device_);
    run(
        way, [&] { (void)norm(x); }, 4,
        [&](int i) {
          if (i > 0) x.copy_from(x * 1.5);
        });
    return std::vector{floats_of(norm.running_mean.value()), floats_of(norm.running_var.value())};
  };
  EXPECT_EQ(outcome(Way::kGraph), outcome(Way::kEager));
}

/// Gradients of several calls of backward, within a step and over steps.
TEST_P(RecordedStepTest, GradientsAccumulate) {
  const auto outcome = [&](Way way) {
    const nn::Parameter a(ones({2}, device_));
    nn::Adam optimizer({a}, {.learning_rate = 0.1});
    a->set_grad(zeros({2}, device_));
    run(
        way,
        [&] {
          sum(square(a.value())).backward();
          sum(a.value()).backward();
          optimizer.step();
        },
        4, [](int) {});
    Outcome result = outcome_of(optimizer);
    result.values.push_back(floats_of(a->grad()));
    return result;
  };
  EXPECT_EQ(outcome(Way::kGraph), outcome(Way::kEager));
}

class Mine : public nn::Optimizer {
 public:
  explicit Mine(std::vector<nn::Parameter> parameters)
      : nn::Optimizer(std::move(parameters), 0.5, 0) {}

 protected:
  void update(const TensorList& parameters, const TensorList& gradients,
              const std::vector<TensorList>&, std::int64_t step) override {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i] -= gradients[i] * (learning_rate() / static_cast<double>(step));
    }
  }
};

/// The program's own optimiser counts on the host, unless it says how to read the device's numbers.
TEST_P(RecordedStepTest, AnOptimizerThatCountsOnTheHostIsRefused) {
  const nn::Parameter a(ones({1}, device_));
  Mine optimizer({a});
  a->set_grad(ones({1}, device_));
  EXPECT_INVALID(
      record_graph([&] { optimizer.step(); }),
      "[step] this optimiser can't be recorded: expected one that overrides update_recorded");
  optimizer.step();
  EXPECT_EQ(optimizer.num_steps(), 1);
  EXPECT_EQ(floats_of(a.value()), Floats{0.5F});
}

class Recordable : public Mine {
 public:
  using Mine::Mine;

 protected:
  void update_recorded(const TensorList& parameters, const TensorList& gradients,
                       const std::vector<TensorList>&,
                       std::span<const UpdateNumbers> numbers) override {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const DType dtype = parameters[i].dtype();
      const Tensor rate = numbers[i].learning_rate.cast(dtype) / numbers[i].step.cast(dtype);
      parameters[i] -= gradients[i] * rate;
    }
  }
};

TEST_P(RecordedStepTest, AnOptimizerOfTheProgramReadsTheNumbersOfTheDevice) {
  const nn::Parameter a(ones({1}, device_));
  Recordable optimizer({a});
  a->set_grad(ones({1}, device_));
  const Graph graph = record_graph([&] { optimizer.step(); });
  graph.replay();
  graph.replay();
  EXPECT_EQ(floats_of(a.value()), Floats{0.25F});
}

TEST_P(RecordedStepTest, AScheduleMovesBetweenReplays) {
  const nn::Parameter a(ones({1}, device_));
  nn::SGD optimizer({a}, {.learning_rate = 1});
  nn::Schedule schedule(optimizer, nn::exponential(0.5));
  EXPECT_INVALID(record_graph([&] { schedule.step(); }),
                 "[Schedule] a graph is being recorded, whose replays do not call the schedule");
  nn::ReduceLROnPlateau plateau(optimizer);
  EXPECT_INVALID(record_graph([&] { plateau.step(1); }),
                 "[ReduceLROnPlateau] a graph is being recorded");
  EXPECT_EQ(schedule.num_steps(), 0);
  EXPECT_EQ(optimizer.learning_rate(), 1);
}

TEST_P(RecordedStepTest, WhatCantBeRecordedIsRefused) {
  nn::Linear layer(2, 2, {.tensor = device_});
  const Tensor x = ones({4, 2}, device_);
  nn::DataParallel model(nn::Linear(2, 2, {.tensor = device_}), {device_, test_device("cpu:1")});
  EXPECT_INVALID(
      record_graph([&] { static_cast<void>(model(x)); }),
      "[DataParallel] a graph is being recorded, which has the operations of one thread");
  const Device other = test_device(device_.name() == "cpu:0" ? "fake:0" : "cpu:0");
  EXPECT_INVALID(record_graph([&] { layer.move_to(other); }),
                 "[move_to] a graph is being recorded, whose replays would change weight");
  static_cast<void>(record_graph([&] { layer.move_to(device_); }));  // it stays
}

/// Of a model on two devices: each has the counts and the rate of its parameters.
TEST_P(RecordedStepTest, ParametersMayBeOnSeveralDevices) {
  const Device other = test_device(device_.name() == "fake:0" ? "cpu:0" : "fake:0");
  const auto outcome = [&](Way way) {
    const nn::Parameter a(ones({2}, device_)), b(ones({2}, other));
    nn::Adam optimizer({a, b}, {.learning_rate = 0.1});
    nn::LossScaler scaler({.scale = 64, .growth_interval = 2});
    const Tensor slope = ones({2}, other);
    const auto step = [&] {
      optimizer.zero_grad();
      scaler.scale(sum(square(a.value()).to(other) * b.value() * slope)).backward();
      static_cast<void>(scaler.step(optimizer));
    };
    run(way, step, 5,
        [&](int i) { slope.fill_(i == 2 ? std::numeric_limits<double>::infinity() : 1); });
    Outcome result = outcome_of(optimizer);
    result.values.push_back({static_cast<float>(double{scaler.scale()})});
    return result;
  };
  const Outcome expected = outcome(Way::kEager);
  EXPECT_EQ(expected.num_steps, 4);
  EXPECT_EQ(outcome(Way::kGraph), expected);
  EXPECT_EQ(outcome(Way::kWarmGraph), expected);
}

/// The numbers of the updates are f32 there.
TEST(RecordedStepWithoutF64, EqualsTheEagerOne) {
  const Device device = Runtime(options({{"fake_f64", "0"}})).device("fake:0");
  std::vector<Floats> results;
  for (const bool is_recorded : {false, true}) {
    const nn::Parameter a(from_host<float>({1, -2, 0.3F}, {3}, device));
    nn::Adam optimizer({a}, {.learning_rate = 0.1});
    const auto step = descent(optimizer, a);
    std::optional<Graph> graph;
    if (is_recorded) graph = record_graph(step);
    for (int i = 0; i < 20; ++i) is_recorded ? graph->replay() : step();
    EXPECT_EQ(optimizer.num_steps(), 20);
    results.push_back(floats_of(a.value()));
  }
  EXPECT_EQ(results[1], results[0]);
}

}  // namespace
}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Steps against formulas in f64, moves of the model between steps, and states.
#include <patchbay/nn/optimizer.h>

#include "nn/nets.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class OptimizerTest : public DeviceTest {
 protected:
  nn::Parameter parameter(Floats values) const {
    const Shape shape{values.size()};
    return nn::Parameter(from_host(values, shape, device_));
  }
  static void set_gradient(const nn::Parameter& of, const Floats& values) {
    of->set_grad(from_host(values, of->shape(), of.device()));
  }
  static void expect_near(const nn::Parameter& got, const std::vector<double>& expected) {
    const Floats values = got->to_vector<float>();
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], expected[i], 1e-6) << "element " << i;
    }
  }
};
PATCHBAY_ON_EACH_DEVICE(OptimizerTest);

TEST_P(OptimizerTest, SgdMovesAgainstTheGradient) {
  const nn::Parameter a = parameter({1, 2}), b = parameter({5});
  nn::SGD optimizer({a, b}, {.learning_rate = 0.5, .momentum = 0.9});
  set_gradient(a, {1, -1});
  optimizer.step();
  expect_near(a, {0.5, 2.5});
  expect_near(b, {5});
  set_gradient(b, {2});
  optimizer.step();  // velocities: 1.9 of a, 2 of b
  expect_near(a, {0.5 - 0.95, 2.5 + 0.95});
  expect_near(b, {4});
  EXPECT_EQ(optimizer.num_steps(), 2);
  optimizer.zero_grad();
  EXPECT_FALSE(a->grad().defined());
  optimizer.step();
  expect_near(b, {4});
}

/// The correction of the means counts the steps of each parameter.
TEST_P(OptimizerTest, AdamCountsTheStepsOfEachParameter) {
  const nn::Parameter a = parameter({1}), late = parameter({1});
  nn::Adam optimizer({a, late}, {.learning_rate = 0.1});
  set_gradient(a, {4});
  optimizer.step();
  expect_near(a, {0.9});  // the first step has the length of the rate
  set_gradient(a, {4});
  set_gradient(late, {-3});
  optimizer.step();
  expect_near(a, {0.8});
  expect_near(late, {1.1});
}

TEST_P(OptimizerTest, AdamWDecaysTheParameterItself) {
  const nn::Parameter a = parameter({2});
  nn::AdamW optimizer({a}, {.learning_rate = 0.1, .weight_decay = 0.5});
  set_gradient(a, {1});
  optimizer.step();
  expect_near(a, {2 * (1 - 0.05) - 0.1});
}

/// Naming another option leaves the decay as it is.
TEST_P(OptimizerTest, AdamWDecaysUnlessToldOtherwise) {
  for (const double decay : {0.01, 0.0}) {
    const nn::Parameter a = parameter({2});
    nn::AdamWOptions options{.learning_rate = 0.1};
    if (decay == 0) options.weight_decay = 0;
    nn::AdamW optimizer({a}, options);
    set_gradient(a, {1});
    optimizer.step();
    expect_near(a, {static_cast<float>(2 * (1 - 0.1 * decay) - 0.1)});
  }
}

TEST_P(OptimizerTest, GoesOnWithAModelThatWasMoved) {
  for (const bool moves : {false, true}) {
    manual_seed(3);
    Net net(test_device("cpu:0"));
    nn::Adam optimizer(net.parameters(), {.learning_rate = 0.01});
    const auto step = [&] {
      optimizer.zero_grad();
      const Tensor x = arange(0, 6, 1, {DType::f32, test_device("cpu:0")}).reshape({2, 3});
      sum(net(x.to(net.hidden.weight.device()))).backward();
      optimizer.step();
    };
    step();
    if (moves) net.move_to(device_);
    step();
    step();
    static Floats unmoved;
    if (!moves) unmoved = net.hidden.weight->to_vector<float>();
    const Floats got = net.hidden.weight->to_vector<float>();
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], unmoved[i], 1e-5) << i;
    if (moves) {
      EXPECT_EQ(optimizer.state().lists[0][0].device(), device_);
    }
  }
}

TEST_P(OptimizerTest, AStateGoesOnElsewhere) {
  const nn::Parameter a = parameter({1, 1}), b = parameter({1, 1});
  nn::Adam first({a}, {.learning_rate = 0.1}), second({b}, {.learning_rate = 0.1});
  set_gradient(a, {1, 2});
  first.step();
  b.set(a.value().detach().clone());
  second.set_state(first.state());
  EXPECT_EQ(second.num_steps(), 1);
  for (const auto& [parameter, optimizer] :
       {std::pair<const nn::Parameter&, nn::Optimizer&>(a, first),
        std::pair<const nn::Parameter&, nn::Optimizer&>(b, second)}) {
    set_gradient(parameter, {-5, 1});
    optimizer.step();
  }
  EXPECT_EQ(a->to_vector<float>(), b->to_vector<float>());
  nn::SGD other({a});
  EXPECT_INVALID(other.set_state(first.state()),
                 "[set_state] the state of another optimiser: expected 0 lists, got 2. Pass the "
                 "state of an optimiser of this kind, for parameters of these shapes.");
  nn::Adam two({a, b});
  EXPECT_INVALID(two.set_state(first.state()),
                 "[set_state] the state of another model: expected 2 parameters, got 1. Pass ");
  nn::Adam shape({parameter({1})});
  EXPECT_ERROR(shape.set_state(first.state()), ErrorCode::kShapeMismatch,
               "[set_state] tensor 0 has another shape: expected [1], got [2]. Pass ");
  EXPECT_EQ(shape.num_steps(), 0);
  nn::Optimizer::State integers = first.state();
  integers.lists[1][0] = ones({2}, {DType::i64, device_});
  EXPECT_ERROR(second.set_state(integers), ErrorCode::kDtypeMismatch,
               "[set_state] tensor 0 has another dtype: expected floats, got i64. Pass ");
  for (const std::int64_t steps : {std::int64_t{-1}, std::int64_t{INT64_MAX}}) {
    nn::Optimizer::State of_all = first.state(), of_one = first.state();
    of_all.num_steps = of_one.parameter_steps[0] = steps;
    for (const nn::Optimizer::State& wrong : {of_all, of_one}) {
      EXPECT_INVALID(
          second.set_state(wrong),
          "[set_state] a wrong number of steps: expected 0 or more, got " + std::to_string(steps));
    }
  }
  EXPECT_EQ(second.num_steps(), 2);
}

/// Of 16 bits too, which are written after the others.
TEST_P(OptimizerTest, AParameterThatCanNotBeWrittenStopsAll) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const nn::Parameter a = parameter({1, 1}), b(ones({1}, {dtype, device_}).expand({2}));
    nn::SGD optimizer({a, b}, {.learning_rate = 0.5, .momentum = 0.9});
    set_gradient(a, {1, 1});
    optimizer.step();
    b->set_grad(ones({2}, {dtype, device_}));
    EXPECT_INVALID(optimizer.step(),
                   "[step] parameter 1 repeats elements: expected a place of its own for each, got "
                   "strides [0] (" +
                       std::string(to_string(dtype)) + " [2] on " + device_.name() +
                       "). Use a clone of it.");
    expect_near(a, {0.5, 0.5});
    const nn::Optimizer::State state = optimizer.state();
    EXPECT_EQ(state.lists[0][0].to_vector<float>(), (Floats{1, 1}));
    EXPECT_EQ(state.parameter_steps, (std::vector<std::int64_t>{1, 0}));
    EXPECT_EQ(optimizer.num_steps(), 1);
  }
}

TEST(Optimizers, AParameterThatWasLentToBeReadStopsAll) {
  const Device cpu = test_device("cpu:0");
  const nn::Parameter a(ones({2}, cpu)), b(read_only(ones({2}, {DType::bf16, cpu})));
  nn::SGD optimizer({a, b}, {.learning_rate = 0.5});
  a->set_grad(ones({2}, cpu));
  b->set_grad(ones({2}, {DType::bf16, cpu}));
  EXPECT_INVALID(optimizer.step(),
                 "[step] parameter 1 is read-only: its owner lent the memory to be read (cpu:0).");
  EXPECT_EQ(a->to_vector<float>(), (Floats{1, 1}));
}

TEST_P(OptimizerTest, ClipsGradients) {
  const nn::Parameter a = parameter({0, 0}), b = parameter({0}), none = parameter({0});
  const std::vector<nn::Parameter> all = {a, b, none};
  set_gradient(a, {2, 3});
  set_gradient(b, {6});
  EXPECT_NEAR(nn::clip_grad_norm(all, 3.5).item<float>(), 7, 1e-5);
  EXPECT_NEAR(b->grad().to_vector<float>()[0], 3, 1e-4);
  nn::clip_grad_value(all, 1.25);
  EXPECT_EQ(b->grad().to_vector<float>(), Floats{1.25});
  EXPECT_EQ(nn::clip_grad_norm(std::vector{none}, 1).item<float>(), 0);
  const nn::Parameter elsewhere(zeros({1}, test_device("fake:1")));
  set_gradient(elsewhere, {1});
  EXPECT_ERROR(nn::clip_grad_norm(std::vector{a, elsewhere}, 1), ErrorCode::kDeviceMismatch,
               "[clip_grad_norm] the gradients are on two devices (" + device_.name() +
                   " and fake:1). Pass the parameters of one device at a time.");
}

TEST_P(OptimizerTest, ClipsAllGradientsOrNone) {
  const nn::Parameter a = parameter({0, 0}), b = parameter({0, 0});
  const std::vector<nn::Parameter> all = {a, b}, none = {parameter({0})};
  set_gradient(a, {2, 3});
  b->set_grad(full({1}, 5, device_).expand({2}));
  const std::string text =
      "] the gradient of parameter 1 repeats elements: expected a place of its own for each, got "
      "strides [0] (f32 [2] on " +
      device_.name() + "). Use a clone of it.";
  EXPECT_INVALID(nn::clip_grad_value(all, 1), "[clip_grad_value" + text);
  EXPECT_INVALID(nn::clip_grad_norm(all, 1), "[clip_grad_norm" + text);
  EXPECT_EQ(a->grad().to_vector<float>(), (Floats{2, 3}));
  for (const auto& [most, got] : {std::pair(0.0, "0"), {double{NAN}, "nan"}}) {
    EXPECT_INVALID(nn::clip_grad_norm(none, most),
                   std::string("[clip_grad_norm] bad norm: expected more than 0, got ") + got +
                       ". Choose another.");
  }
  EXPECT_INVALID(nn::clip_grad_value(none, -1),
                 "[clip_grad_value] bad limit: expected 0 or more, got -1. Choose another.");
}

TEST_P(OptimizerTest, SaysWhatItCanNotUse) {
  const nn::Parameter a = parameter({1});
  EXPECT_INVALID(nn::SGD({}),
                 "[Optimizer] no parameters: expected those of a model, model.parameters()");
  EXPECT_INVALID(nn::SGD({a, a}),
                 "[Optimizer] a parameter occurs twice: number 1 is an earlier one. Leave it out.");
  EXPECT_INVALID(nn::SGD({a}, {.learning_rate = -1}),
                 "[Optimizer] a wrong learning rate: expected a finite number >= 0, got -1");
  EXPECT_INVALID(
      nn::SGD({a}, {.nesterov = true}),
      "[SGD] wrong options with nesterov: expected a momentum > 0 and no dampening, got 0 and 0");
  EXPECT_INVALID(nn::SGD({a}, {.momentum = -1}),
                 "[SGD] a wrong momentum: expected a finite number >= 0, got -1");
  EXPECT_INVALID(nn::SGD({a}, {.momentum = INFINITY}),
                 "[SGD] a wrong momentum: expected a finite number >= 0, got inf");
  EXPECT_INVALID(nn::SGD({a}, {.momentum = 0.5, .dampening = NAN}),
                 "[SGD] a wrong dampening: expected a finite number, got nan");
  EXPECT_INVALID(nn::Adam({a}, {.epsilon = INFINITY}),
                 "[Adam] a wrong epsilon: expected a finite number >= 0, got inf");
  EXPECT_INVALID(nn::SGD({a}).step(NAN),
                 "[step] a wrong factor of the gradients: expected a finite number, got nan. Pass "
                 "1 to take them as they are.");
  EXPECT_INVALID(nn::Adam({a}, {.beta1 = 1.2}),
                 "[Adam] a wrong beta1: expected 0 or more and less than 1, got 1.2");
  EXPECT_INVALID(nn::AdamW({a}, {.weight_decay = -1}),
                 "[AdamW] a wrong weight_decay: expected a finite number >= 0, got -1");
  nn::SGD lazy({nn::Parameter()});
  EXPECT_INVALID(lazy.step(), "[step] parameter 0 has no shape yet");
  nn::SGD with_momentum({nn::Parameter()}, {.momentum = 0.9});
  EXPECT_INVALID(with_momentum.set_state({1, {1}, {{ones({2})}}, false}),
                 "[set_state] parameter 0 has no shape yet: expected a batch before, from which "
                 "its lazy layer learns its sizes.");
  nn::Adam adam({a});
  set_gradient(a, {1});
  adam.step();
  a.set(zeros({3}, device_));
  set_gradient(a, {1, 1, 1});
  EXPECT_ERROR(adam.step(), ErrorCode::kShapeMismatch,
               "[step] parameter 0 has another shape than before: expected [1], got [3]");
}

TEST_P(OptimizerTest, CopiesNothingBehindTheProgramsBack) {
  const nn::Parameter a = parameter({1});
  nn::Adam adam({a});
  set_gradient(a, {1});
  adam.step();
  a.set(zeros({1}, test_device("fake:1")));
  set_gradient(a, {1});
  EXPECT_ERROR(adam.step(), ErrorCode::kDeviceMismatch,
               "[step] parameter 0 got a tensor on another device: expected " + device_.name() +
                   ", got fake:1. Move the model by move_to, or make a new optimiser.");
}

}  // namespace
}  // namespace patchbay::test

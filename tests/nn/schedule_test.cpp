// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Learning rates, step by step. The expected numbers are PyTorch's formulas.
#include <cmath>
#include <limits>

#include <patchbay/nn/optimizer.h>
#include <patchbay/nn/schedule.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

nn::Parameter some_parameter() { return nn::Parameter(zeros({1}, test_device("cpu:0"))); }

TEST(Schedules, SetTheRate) {
  const nn::Parameter a = some_parameter();
  const auto rates = [&](nn::RateFactor factor) {
    nn::SGD optimizer({a}, {.learning_rate = 2});
    nn::Schedule schedule(optimizer, std::move(factor));
    std::vector<double> result;
    for (int i = 0; i < 5; ++i) {
      result.push_back(optimizer.learning_rate());
      schedule.step();
    }
    return result;
  };
  const auto expect = [](const std::vector<double>& got, const std::vector<double>& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12) << i;
  };
  expect(rates(nn::step_decay(2)), {2, 2, 0.2, 0.2, 0.02});
  expect(rates(nn::milestones({3, 1}, 0.5)), {2, 1, 1, 0.5, 0.5});
  expect(rates(nn::exponential(0.5)), {2, 1, 0.5, 0.25, 0.125});
  expect(rates(nn::cosine(4)), {2, 1 + std::sqrt(0.5), 1, 1 - std::sqrt(0.5), 0});
  expect(rates(nn::linear_ramp(2, 0.5)), {1, 1.5, 2, 2, 2});
  expect(rates(nn::cosine_restarts(2)), {2, 1, 2, 1, 2});
  expect(rates(nn::cosine_restarts(1, 2, 0.5)), {2, 2, 1.5, 2, 1 + 0.5 * (1 + std::sqrt(0.5))});
  expect(rates(nn::polynomial(4, 2)), {2, 1.125, 0.5, 0.125, 0});
  expect(rates(nn::held_back(2, 0.25)), {0.5, 0.5, 2, 2, 2});
  expect(rates(nn::in_sequence({nn::linear_ramp(2, 0.5), nn::exponential(0.5)}, {2})),
         {1, 1.5, 2, 1, 0.5});
  expect(rates(nn::product_of({nn::exponential(0.5), nn::held_back(1, 0.5)})),
         {1, 1, 0.5, 0.25, 0.125});
  EXPECT_INVALID(nn::cosine(0), "[cosine] a wrong number of steps: expected at least 1, got 0");
  nn::SGD optimizer({a}, {.learning_rate = 2});
  EXPECT_INVALID(nn::Schedule(optimizer, [](std::int64_t) { return -1.0; }), "got -2");
  EXPECT_INVALID(nn::Schedule(optimizer, nullptr), "[Schedule] no function");
  nn::Schedule schedule(optimizer, nn::exponential(0.5));
  schedule.set_num_steps(3);
  EXPECT_EQ(optimizer.learning_rate(), 0.25);
}

/// OneCycleLR(max_lr=1, total_steps=10): up in 2 steps, down in 7.
TEST(Schedules, GoUpAndDownInOneCycle) {
  const nn::RateFactor factor = nn::one_cycle(10);
  const auto between = [](double from, double to, double share) {
    return to + (from - to) * (1 + std::cos(M_PI * share)) / 2;
  };
  EXPECT_NEAR(factor(0), 0.04, 1e-12);
  EXPECT_NEAR(factor(1), between(0.04, 1, 0.5), 1e-12);
  EXPECT_NEAR(factor(2), 1, 1e-12);
  EXPECT_NEAR(factor(5), between(1, 4e-6, 3.0 / 7), 1e-12);
  EXPECT_NEAR(factor(9), 4e-6, 1e-12);
  EXPECT_NEAR(factor(30), 4e-6, 1e-12);
  for (const double warm_up : {0.0, 0.01, 0.1}) {
    EXPECT_NEAR(nn::one_cycle(10, {.warm_up = warm_up})(0), 1, 1e-12) << "no step of a warm-up";
  }
  EXPECT_NEAR(nn::one_cycle(10, {.warm_up = 1})(9), 1, 1e-12);
  EXPECT_NEAR(nn::one_cycle(2)(0), 1, 1e-12);
  EXPECT_NEAR(nn::one_cycle(2)(1), 4e-6, 1e-12);
  EXPECT_NEAR(nn::one_cycle(1)(0), 1, 1e-12);
  EXPECT_INVALID(nn::one_cycle(10, {.warm_up = 2}),
                 "[one_cycle] a wrong share of the steps to warm up: expected 0 to 1, got 2");
}

TEST(Schedules, StayWhereTheyAreAfterAnError) {
  nn::SGD optimizer({some_parameter()}, {.learning_rate = 2});
  nn::Schedule schedule(optimizer, [](std::int64_t step) { return step % 2 == 0 ? 0.5 : -1.0; });
  const std::string text =
      "expected a finite number >= 0, got -2, the first rate 2 times the factor";
  EXPECT_INVALID(schedule.step(), "[Schedule] a wrong learning rate in step 1: " + text);
  EXPECT_INVALID(schedule.set_num_steps(7), "[Schedule] a wrong learning rate in step 7: " + text);
  EXPECT_INVALID(
      nn::Schedule(optimizer, [](std::int64_t) { return double{NAN}; }),
      "[Schedule] a wrong learning rate in step 0: expected a finite number >= 0, got nan");
  EXPECT_EQ(schedule.rate_at(7), -2);
  EXPECT_INVALID(schedule.rate_at(-1), "[Schedule] a wrong number of steps: expected >= 0, got -1");
  EXPECT_EQ(schedule.num_steps(), 0);
  EXPECT_EQ(optimizer.learning_rate(), 1);
}

TEST(Schedules, FollowEachOther) {
  const nn::RateFactor one = nn::exponential(1);
  EXPECT_INVALID(nn::in_sequence({one, one, one}, {3, 3}),
                 "[in_sequence] wrong steps: expected 2 that rise, one for each factor but the "
                 "first, got 3, 3");
  EXPECT_INVALID(nn::in_sequence({one}, {3}), "expected 0 that rise");
  EXPECT_INVALID(nn::in_sequence({one, one}, {}),
                 "expected 1 that rise, one for each factor but the first, got none");
  EXPECT_INVALID(
      nn::in_sequence({}, {}),
      "[in_sequence] the list of factors is empty. Pass at least one, such as exponential(0.9).");
  EXPECT_EQ(nn::in_sequence({one}, {})(7), 1);
}

TEST(Schedules, ShrinkOnAPlateau) {
  nn::SGD optimizer({some_parameter()}, {.learning_rate = 1});
  nn::ReduceLROnPlateau plateau(optimizer,
                                {.factor = 0.5, .patience = 1, .cooldown = 1, .min_rate = 0.2});
  const auto rate_after = [&](double metric) {
    plateau.step(metric);
    return optimizer.learning_rate();
  };
  EXPECT_EQ(rate_after(10), 1);
  EXPECT_EQ(rate_after(9.9999), 1);  // better by less than the threshold: the first bad step
  EXPECT_EQ(rate_after(std::numeric_limits<double>::quiet_NaN()), 0.5);
  EXPECT_EQ(rate_after(11), 0.5);  // not counted
  EXPECT_EQ(rate_after(11), 0.5);
  const nn::ReduceLROnPlateau::State state = plateau.state();
  EXPECT_EQ(state.num_bad_steps, 1);
  EXPECT_EQ(state.best, 10);
  EXPECT_EQ(rate_after(11), 0.25);
  for (int i = 0; i < 3; ++i) static_cast<void>(rate_after(11));
  EXPECT_EQ(optimizer.learning_rate(), 0.2);
  plateau.set_state(state);
  EXPECT_EQ(plateau.state().num_bad_steps, 1);
  nn::ReduceLROnPlateau rising(optimizer, {.maximizes = true, .patience = 0, .is_relative = false});
  rising.step(1);
  rising.step(2);
  EXPECT_EQ(optimizer.learning_rate(), 0.2);
  rising.step(2);
  EXPECT_NEAR(optimizer.learning_rate(), 0.02, 1e-12);
  EXPECT_INVALID(nn::ReduceLROnPlateau(optimizer, {.factor = 1}),
                 "[ReduceLROnPlateau] a wrong factor: expected a number from 0 and below 1, got 1");
  EXPECT_INVALID(nn::ReduceLROnPlateau(optimizer, {.patience = -1}),
                 "[ReduceLROnPlateau] a wrong number of steps");
  EXPECT_INVALID(nn::ReduceLROnPlateau(optimizer, {.threshold = NAN}),
                 "[ReduceLROnPlateau] a wrong threshold: expected a finite number, got nan");
  EXPECT_INVALID(nn::ReduceLROnPlateau(optimizer, {.min_rate = NAN}),
                 "[ReduceLROnPlateau] a wrong min_rate: expected a finite number >= 0, got nan");
  EXPECT_INVALID(nn::ReduceLROnPlateau(optimizer, {.epsilon = -1}),
                 "[ReduceLROnPlateau] a wrong epsilon: expected a finite number >= 0, got -1");
  EXPECT_INVALID(
      plateau.set_state({NAN, 1, -1}),
      "[ReduceLROnPlateau] a wrong state: expected a best metric that is a number, got nan");
  EXPECT_INVALID(plateau.set_state({std::nullopt, 1, -1}),
                 "[ReduceLROnPlateau] a wrong state: expected numbers of steps >= 0, got 1 and -1");
  EXPECT_EQ(plateau.state().num_bad_steps, 1);
}

/// Infinity less a part of infinity is no number.
TEST(Schedules, GetBetterThanAnInfiniteMetric) {
  for (const bool maximizes : {false, true}) {
    for (const bool is_relative : {false, true}) {
      nn::SGD optimizer({some_parameter()}, {.learning_rate = 1});
      nn::ReduceLROnPlateau plateau(
          optimizer, {.maximizes = maximizes, .patience = 0, .is_relative = is_relative});
      const double sign = maximizes ? -1 : 1;
      plateau.step(sign * INFINITY);
      plateau.step(sign * 100);
      EXPECT_EQ(plateau.state().best, sign * 100);
      EXPECT_EQ(optimizer.learning_rate(), 1);
      plateau.step(sign * INFINITY);
      EXPECT_NEAR(optimizer.learning_rate(), 0.1, 1e-12);
    }
  }
}

}  // namespace
}  // namespace patchbay::test

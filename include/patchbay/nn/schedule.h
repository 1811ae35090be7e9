// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Schedules of learning rates: docs/modules.md.
#ifndef PATCHBAY_NN_SCHEDULE_H_
#define PATCHBAY_NN_SCHEDULE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "patchbay/export.h"

namespace patchbay::nn {

class Optimizer;

/// What an optimiser's first rate is multiplied by in each step of a schedule, from 0.
using RateFactor = std::function<double(std::int64_t step)>;

/// The learning rate as a function of the number of steps of the schedule (epochs, usually).
/// Constructing it sets the rate of step 0.
class PATCHBAY_API Schedule {
 public:
  /// The optimiser must outlive the schedule. Errors: kInvalidArgument if a factor makes no valid
  /// rate.
  Schedule(Optimizer& optimizer, RateFactor factor);
  /// Sets the rate of the next step. Errors, before anything changes: as of the constructor.
  void step();
  std::int64_t num_steps() const { return num_steps_; }
  /// The learning rate after that number of steps. It is not checked: step() would refuse a rate
  /// that the optimiser does not accept. Errors: kInvalidArgument for steps below 0.
  double rate_at(std::int64_t steps) const;
  /// For checkpoints: goes on from there. Errors: also kInvalidArgument for steps below 0.
  void set_num_steps(std::int64_t steps);

 private:
  Optimizer* optimizer_;
  RateFactor factor_;
  double first_rate_;
  std::int64_t num_steps_ = 0;
};

// Factors for Schedule. Errors: kInvalidArgument for sizes below 1.
/// gamma^(step / size), rounded down.
PATCHBAY_API RateFactor step_decay(std::int64_t size, double gamma = 0.1);
/// gamma to the number of milestones that are not above the step.
PATCHBAY_API RateFactor milestones(std::vector<std::int64_t> at, double gamma = 0.1);
/// gamma^step.
PATCHBAY_API RateFactor exponential(double gamma);
/// From 1 to `last` along half a cosine in `steps` steps, and back likewise (Loshchilov and Hutter,
/// SGDR, 2017, without restarts).
PATCHBAY_API RateFactor cosine(std::int64_t steps, double last = 0);
/// From 1 to `last` along half a cosine, again and again (Loshchilov and Hutter, SGDR, 2017): first
/// in `steps` steps, then in `growth` times as many each time. Errors: also for a growth below 1.
PATCHBAY_API RateFactor cosine_restarts(std::int64_t steps, std::int64_t growth = 1,
                                        double last = 0);
/// From `first` to `last` in equal steps, then `last`.
PATCHBAY_API RateFactor linear_ramp(std::int64_t steps, double first, double last = 1);
/// (1 - step / steps)^power, then 0.
PATCHBAY_API RateFactor polynomial(std::int64_t steps, double power = 1);
/// `factor`, then 1 from step `steps` on.
PATCHBAY_API RateFactor held_back(std::int64_t steps, double factor = 1.0 / 3);

struct OneCycleOptions {
  double warm_up = 0.3;        // the part of the steps in which the rate rises
  double first = 1.0 / 25;     // the factor of the first step, if it has a warm-up
  double last = 1.0 / 250000;  // the factor of the last step, if it comes after the warm-up
};
/// From `first` up to 1 and down to `last`, along half a cosine each, in `steps` steps; the
/// optimiser's rate is the largest one (Smith and Topin, Super-Convergence, 2018). The factor is 1
/// in step warm_up * steps - 1: in the first step, if that is 0 or less, and in the last one, if
/// warm_up is 1. The factor of a single step is 1. Errors: also unless 0 <= warm_up <= 1.
PATCHBAY_API RateFactor one_cycle(std::int64_t steps, const OneCycleOptions& options = {});

/// One factor after the other. factors[0] applies to the steps before at[0]; from step at[i] on,
/// factors[i + 1] applies, and counts its own steps from 0. A warm-up of five steps:
/// `in_sequence({linear_ramp(5, 0.1), cosine(95)}, {5})`. Errors: kInvalidArgument unless `at` has
/// one element less than `factors` and its elements rise.
PATCHBAY_API RateFactor in_sequence(std::vector<RateFactor> factors, std::vector<std::int64_t> at);
/// The product of factors.
PATCHBAY_API RateFactor product_of(std::vector<RateFactor> factors);

struct PlateauOptions {
  bool maximizes = false;  // whether a larger metric is a better one
  double factor = 0.1;
  std::int64_t patience = 10;  // steps without a better metric that are let pass
  /// A metric is better if it differs by this part of the best one, or by this number.
  double threshold = 1e-4;
  bool is_relative = true;
  std::int64_t cooldown = 0;  // steps after a change in which none is counted
  double min_rate = 0;
  double epsilon = 1e-8;  // changes that are not larger are left out
};
/// Multiplies the rate by `factor` when a metric, such as the loss on other data, has stopped
/// getting better.
class PATCHBAY_API ReduceLROnPlateau {
 public:
  /// The optimiser must outlive it. Errors: kInvalidArgument unless 0 <= factor < 1, for negative
  /// numbers of steps, a min_rate or epsilon below 0, and numbers that are not finite.
  explicit ReduceLROnPlateau(Optimizer& optimizer, const PlateauOptions& options = {});
  /// After each epoch. NaN counts as not better.
  void step(double metric);

  /// For checkpoints, with the optimiser's rate.
  struct State {
    std::optional<double> best;
    std::int64_t num_bad_steps = 0, cooldown_left = 0;
  };
  const State& state() const { return state_; }
  /// Errors: kInvalidArgument for a best metric that is NaN, and for numbers of steps below 0.
  void set_state(const State& state);

 private:
  bool is_better(double metric) const;

  Optimizer* optimizer_;
  PlateauOptions options_;
  State state_;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_SCHEDULE_H_

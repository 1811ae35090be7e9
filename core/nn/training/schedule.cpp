// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "patchbay/graph.h"
#include "patchbay/nn/optimizer.h"

#include "core/base/error.h"

namespace patchbay::nn {

using base::raise;

namespace {

/// Replays do not call the program's functions.
void check_not_recording(std::string_view schedule) {
  if (!is_recording_graph()) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] a graph is being recorded, whose replays do not call the schedule: expected a step "
        "outside of the recording. Make it before or after a replay, which uses the new rate.",
        schedule);
}

}  // namespace

Schedule::Schedule(Optimizer& optimizer, RateFactor factor)
    : optimizer_(&optimizer), factor_(std::move(factor)), first_rate_(optimizer.learning_rate()) {
  if (!factor_) {
    raise(ErrorCode::kInvalidArgument,
          "[Schedule] no function: expected a factor. Pass one, such as exponential(0.9).");
  }
  set_num_steps(0);
}

void Schedule::step() { set_num_steps(num_steps_ + 1); }

double Schedule::rate_at(std::int64_t steps) const {
  if (steps < 0) {
    raise(ErrorCode::kInvalidArgument, "[Schedule] a wrong number of steps: expected >= 0, got {}",
          steps);
  }
  return first_rate_ * factor_(steps);
}

void Schedule::set_num_steps(std::int64_t steps) {
  check_not_recording("Schedule");
  const double rate = rate_at(steps);
  if (!(rate >= 0) || !std::isfinite(rate)) {
    raise(ErrorCode::kInvalidArgument,
          "[Schedule] a wrong learning rate in step {}: expected a finite number >= 0, got {}, the "
          "first rate {} times the factor. Correct the factor.",
          steps, rate, first_rate_);
  }
  optimizer_->set_learning_rate(rate);
  num_steps_ = steps;
}

namespace {

void check_functions(const std::vector<RateFactor>& factors, const char* schedule) {
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i]) continue;
    raise(ErrorCode::kInvalidArgument,
          "[{}] factor {} is no function: expected a factor. Pass one, such as exponential(0.9).",
          schedule, i);
  }
}

double checked_steps(const char* schedule, std::int64_t steps) {
  if (steps < 1) {
    raise(ErrorCode::kInvalidArgument, "[{}] a wrong number of steps: expected at least 1, got {}",
          schedule, steps);
  }
  return static_cast<double>(steps);
}

/// From 1 to `last` for 0 to 1, along half a cosine.
double half_cosine(double share, double first, double last) {
  return last + (first - last) * (1 + std::cos(std::numbers::pi * share)) / 2;
}

}  // namespace

RateFactor step_decay(std::int64_t size, double gamma) {
  checked_steps("step_decay", size);
  return [=](std::int64_t step) {
    const std::int64_t decays = step / size;
    return std::pow(gamma, static_cast<double>(decays));
  };
}

RateFactor milestones(std::vector<std::int64_t> at, double gamma) {
  std::ranges::sort(at);
  return [at = std::move(at), gamma](std::int64_t step) {
    return std::pow(gamma, static_cast<double>(std::ranges::upper_bound(at, step) - at.begin()));
  };
}

RateFactor exponential(double gamma) {
  return [=](std::int64_t step) { return std::pow(gamma, static_cast<double>(step)); };
}

RateFactor cosine(std::int64_t steps, double last) {
  const double all = checked_steps("cosine", steps);
  return [=](std::int64_t step) { return half_cosine(static_cast<double>(step) / all, 1, last); };
}

RateFactor cosine_restarts(std::int64_t steps, std::int64_t growth, double last) {
  checked_steps("cosine_restarts", steps);
  checked_steps("cosine_restarts", growth);
  return [=](std::int64_t step) {
    std::int64_t period = steps;
    if (growth == 1) step %= period;
    while (step >= period) {
      step -= period;
      if (__builtin_mul_overflow(period, growth, &period)) break;
    }
    return half_cosine(static_cast<double>(step) / static_cast<double>(period), 1, last);
  };
}

RateFactor linear_ramp(std::int64_t steps, double first, double last) {
  const double all = checked_steps("linear_ramp", steps);
  return [=](std::int64_t step) {
    return first + (last - first) * std::min(1.0, static_cast<double>(step) / all);
  };
}

RateFactor polynomial(std::int64_t steps, double power) {
  const double all = checked_steps("polynomial", steps);
  return [=](std::int64_t step) {
    return std::pow(1 - std::min(1.0, static_cast<double>(step) / all), power);
  };
}

RateFactor held_back(std::int64_t steps, double factor) {
  checked_steps("held_back", steps);
  return [=](std::int64_t step) { return step < steps ? factor : 1.0; };
}

RateFactor one_cycle(std::int64_t steps, const OneCycleOptions& options) {
  const double all = checked_steps("one_cycle", steps);
  if (!(options.warm_up >= 0 && options.warm_up <= 1)) {
    raise(ErrorCode::kInvalidArgument,
          "[one_cycle] a wrong share of the steps to warm up: expected 0 to 1, got {}",
          options.warm_up);
  }
  const double top = std::max(options.warm_up * all - 1, 0.0), end = all - 1;
  return [=](std::int64_t number) {
    const double step = std::min(static_cast<double>(number), end);
    if (step < top) return half_cosine(step / top, options.first, 1);
    return end > top ? half_cosine((step - top) / (end - top), 1, options.last) : 1.0;
  };
}

RateFactor in_sequence(std::vector<RateFactor> factors, std::vector<std::int64_t> at) {
  if (factors.empty()) {
    raise(
        ErrorCode::kInvalidArgument,
        "[in_sequence] the list of factors is empty. Pass at least one, such as exponential(0.9).");
  }
  check_functions(factors, "in_sequence");
  const bool rises = std::ranges::adjacent_find(at, std::greater_equal<>()) == at.end();
  if (at.size() + 1 != factors.size() || !rises || (!at.empty() && at[0] < 0)) {
    raise(ErrorCode::kInvalidArgument,
          "[in_sequence] wrong steps: expected {} that rise, one for each factor but the first, "
          "got {}",
          factors.size() - 1, at.empty() ? "none" : fmt::format("{}", fmt::join(at, ", ")));
  }
  return [factors = std::move(factors), at = std::move(at)](std::int64_t step) {
    const auto part = std::ranges::upper_bound(at, step) - at.begin();
    const std::int64_t first = part == 0 ? 0 : at[static_cast<std::size_t>(part - 1)];
    return factors[static_cast<std::size_t>(part)](step - first);
  };
}

RateFactor product_of(std::vector<RateFactor> factors) {
  check_functions(factors, "product_of");
  return [factors = std::move(factors)](std::int64_t step) {
    double product = 1;
    for (const RateFactor& each : factors) product *= each(step);
    return product;
  };
}

// ------------------------------------------------------------------------------- plateaus ---

ReduceLROnPlateau::ReduceLROnPlateau(Optimizer& optimizer, const PlateauOptions& options)
    : optimizer_(&optimizer), options_(options) {
  if (!(options.factor >= 0 && options.factor < 1)) {
    raise(ErrorCode::kInvalidArgument,
          "[ReduceLROnPlateau] a wrong factor: expected a number from 0 and below 1, got {}",
          options.factor);
  }
  for (const std::int64_t steps : {options.patience, options.cooldown}) {
    if (steps >= 0) continue;
    raise(
        ErrorCode::kInvalidArgument,
        "[ReduceLROnPlateau] a wrong number of steps: expected patience and cooldown >= 0, got {}",
        steps);
  }
  const auto check = [](bool holds, const char* name, const char* expected, double value) {
    if (holds) return;
    raise(ErrorCode::kInvalidArgument, "[ReduceLROnPlateau] a wrong {}: expected {}, got {}", name,
          expected, value);
  };
  check(std::isfinite(options.threshold), "threshold", "a finite number", options.threshold);
  for (const auto& [name, value] :
       {std::pair("min_rate", options.min_rate), {"epsilon", options.epsilon}}) {
    check(value >= 0 && std::isfinite(value), name, "a finite number >= 0", value);
  }
}

void ReduceLROnPlateau::set_state(const State& state) {
  if (state.best && std::isnan(*state.best)) {
    raise(ErrorCode::kInvalidArgument,
          "[ReduceLROnPlateau] a wrong state: expected a best metric that is a number, got {}",
          *state.best);
  }
  if (state.num_bad_steps < 0 || state.cooldown_left < 0) {
    raise(ErrorCode::kInvalidArgument,
          "[ReduceLROnPlateau] a wrong state: expected numbers of steps >= 0, got {} and {}",
          state.num_bad_steps, state.cooldown_left);
  }
  state_ = state;
}

bool ReduceLROnPlateau::is_better(double metric) const {
  if (!state_.best) return !std::isnan(metric);
  const double best = *state_.best;
  // The margin of an infinite best metric would be infinite, and their difference NaN.
  const double margin = std::isinf(best)       ? 0
                        : options_.is_relative ? options_.threshold * std::abs(best)
                                               : options_.threshold;
  return options_.maximizes ? metric > best + margin : metric < best - margin;
}

void ReduceLROnPlateau::step(double metric) {
  check_not_recording("ReduceLROnPlateau");
  if (is_better(metric)) {
    state_.best = metric;
    state_.num_bad_steps = 0;
  } else {
    ++state_.num_bad_steps;
  }
  if (state_.cooldown_left > 0) {
    --state_.cooldown_left;
    state_.num_bad_steps = 0;
  }
  if (state_.num_bad_steps <= options_.patience) return;
  const double rate = optimizer_->learning_rate();
  const double lower = std::max(rate * options_.factor, options_.min_rate);
  if (rate - lower > options_.epsilon) optimizer_->set_learning_rate(lower);
  state_.cooldown_left = options_.cooldown;
  state_.num_bad_steps = 0;
}

}  // namespace patchbay::nn

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "patchbay/nn/optimizer.h"

#include "core/base/error.h"

namespace patchbay::nn {

using runtime::raise;

Schedule::Schedule(Optimizer& optimizer, std::function<double(std::int64_t)> factor)
    : optimizer_(&optimizer), factor_(std::move(factor)), first_rate_(optimizer.learning_rate()) {
  if (!factor_) raise(ErrorCode::kInvalidArgument, "[Schedule] no function: expected a factor");
  apply();
}

void Schedule::apply() { optimizer_->set_learning_rate(first_rate_ * factor_(num_steps_)); }

void Schedule::step() {
  ++num_steps_;
  apply();
}

void Schedule::set_num_steps(std::int64_t steps) {
  if (steps < 0) {
    raise(ErrorCode::kInvalidArgument, "[Schedule] a wrong number of steps: expected >= 0, got {}",
          steps);
  }
  num_steps_ = steps;
  apply();
}

namespace {

double checked_steps(const char* schedule, std::int64_t steps) {
  if (steps < 1) {
    raise(ErrorCode::kInvalidArgument, "[{}] a wrong number of steps: expected at least 1, got {}",
          schedule, steps);
  }
  return static_cast<double>(steps);
}

}  // namespace

std::function<double(std::int64_t)> step_decay(std::int64_t size, double gamma) {
  checked_steps("step_decay", size);
  return [=](std::int64_t step) {
    const std::int64_t decays = step / size;
    return std::pow(gamma, static_cast<double>(decays));
  };
}

std::function<double(std::int64_t)> milestones(std::vector<std::int64_t> at, double gamma) {
  std::ranges::sort(at);
  return [at = std::move(at), gamma](std::int64_t step) {
    return std::pow(gamma, static_cast<double>(std::ranges::upper_bound(at, step) - at.begin()));
  };
}

std::function<double(std::int64_t)> exponential(double gamma) {
  return [=](std::int64_t step) { return std::pow(gamma, static_cast<double>(step)); };
}

std::function<double(std::int64_t)> cosine(std::int64_t steps, double last) {
  const double all = checked_steps("cosine", steps);
  return [=](std::int64_t step) {
    return last +
           (1 - last) * (1 + std::cos(std::numbers::pi * static_cast<double>(step) / all)) / 2;
  };
}

std::function<double(std::int64_t)> linear_ramp(std::int64_t steps, double first, double last) {
  const double all = checked_steps("linear_ramp", steps);
  return [=](std::int64_t step) {
    return first + (last - first) * std::min(1.0, static_cast<double>(step) / all);
  };
}

}  // namespace patchbay::nn

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "patchbay/nn/optimizer.h"

#include "core/base/error.h"

namespace patchbay::nn {

using base::raise;

namespace {

void check_option(const char* optimizer, bool holds, const char* name, const char* expected,
                  double value) {
  if (holds) return;
  raise(ErrorCode::kInvalidArgument, "[{}] a wrong {}: expected {}, got {}", optimizer, name,
        expected, value);
}

void check_not_negative(const char* optimizer, const char* name, double value) {
  check_option(optimizer, value >= 0 && std::isfinite(value), name, "a finite number >= 0", value);
}

AdamOptions checked(const char* optimizer, const AdamOptions& options) {
  const auto check_beta = [&](const char* name, double beta) {
    check_option(optimizer, beta >= 0 && beta < 1, name, "0 or more and less than 1", beta);
  };
  check_beta("beta1", options.beta1);
  check_beta("beta2", options.beta2);
  check_not_negative(optimizer, "epsilon", options.epsilon);
  check_not_negative(optimizer, "weight_decay", options.weight_decay);
  return options;
}

}  // namespace

SGD::SGD(std::vector<Parameter> parameters, const SgdOptions& options)
    : Optimizer(std::move(parameters), options.learning_rate, options.momentum != 0 ? 1 : 0),
      options_(options) {
  check_not_negative("SGD", "momentum", options.momentum);
  check_not_negative("SGD", "weight_decay", options.weight_decay);
  check_option("SGD", std::isfinite(options.dampening), "dampening", "a finite number",
               options.dampening);
  if (!options.nesterov || (options.momentum > 0 && options.dampening == 0)) return;
  raise(
      ErrorCode::kInvalidArgument,
      "[SGD] wrong options with nesterov: expected a momentum > 0 and no dampening, got {} and {}",
      options.momentum, options.dampening);
}

void SGD::update(const TensorList& parameters, const TensorList& gradients,
                 const std::vector<TensorList>& lists, std::int64_t step) {
  options_.learning_rate = learning_rate();
  sgd_update(parameters, gradients, lists.empty() ? TensorList() : lists[0], step, options_);
}

void SGD::update_recorded(const TensorList& parameters, const TensorList& gradients,
                          const std::vector<TensorList>& lists,
                          std::span<const UpdateNumbers> numbers) {
  sgd_update(parameters, gradients, lists.empty() ? TensorList() : lists[0], numbers, options_);
}

Adam::Adam(std::vector<Parameter> parameters, const AdamOptions& options)
    : Optimizer(std::move(parameters), options.learning_rate, 2),
      options_(checked(options.decoupled ? "AdamW" : "Adam", options)) {}

void Adam::update(const TensorList& parameters, const TensorList& gradients,
                  const std::vector<TensorList>& lists, std::int64_t step) {
  options_.learning_rate = learning_rate();
  adam_update(parameters, gradients, lists[0], lists[1], step, options_);
}

void Adam::update_recorded(const TensorList& parameters, const TensorList& gradients,
                           const std::vector<TensorList>& lists,
                           std::span<const UpdateNumbers> numbers) {
  adam_update(parameters, gradients, lists[0], lists[1], numbers, options_);
}

AdamW::AdamW(std::vector<Parameter> parameters, const AdamWOptions& options)
    : Adam(std::move(parameters), {.learning_rate = options.learning_rate,
                                   .beta1 = options.beta1,
                                   .beta2 = options.beta2,
                                   .epsilon = options.epsilon,
                                   .weight_decay = options.weight_decay,
                                   .decoupled = true}) {}

}  // namespace patchbay::nn

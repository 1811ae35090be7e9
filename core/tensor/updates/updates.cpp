// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Updates of parameters, each as one fused pass over a parameter, its gradient and its state.
#include "patchbay/updates.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "patchbay/fuse.h"
#include "patchbay/ops.h"

#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"
#include "core/tensor/fuse/expression.h"
#include "core/tensor/updates/update_lists.h"
#include "core/tensor/updates/update_numbers.h"

namespace patchbay {
namespace {

using tensor::check_not_negative;
using tensor::groups_of;
using tensor::UpdateGroup;
using tensor::UpdateList;

/// Calls the function with the tensors of each group, the group's own numbers, and those that all
/// groups share. It writes the tensors that are numbered in `written`.
template <class NumbersOf>
void update(const FusedFunction& function, std::vector<UpdateGroup> groups,
            std::initializer_list<std::size_t> written, const NumbersOf& numbers_of,
            std::initializer_list<double> shared) {
  std::vector<FusedGroup> calls;
  calls.reserve(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<Tensor>& tensors = groups[g].tensors;
    FusedGroup& call = calls.emplace_back();
    call.outputs.reserve(written.size());
    for (const std::size_t i : written) call.outputs.push_back(tensors[i]);
    const auto numbers = numbers_of(g, tensors[tensor::kParameters]);
    call.arguments.reserve(tensors.size() + numbers.size() + shared.size());
    for (Tensor& tensor : tensors) call.arguments.emplace_back(std::move(tensor));
    call.arguments.insert(call.arguments.end(), numbers.begin(), numbers.end());
    call.arguments.insert(call.arguments.end(), shared.begin(), shared.end());
  }
  function.call_groups_out(calls);
}

/// Whether the numbers of an update on the tensor's device are computed in f64.
bool computes_in_f64(const Tensor& tensor) { return tensor.impl()->device().info.properties.f64; }

void check_step(const char* operation, std::int64_t step) {
  if (step >= 1) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] bad step: expected 1 or more, got {}. Count the updates from 1.", operation,
              step);
}

void check_dampening(const char* operation, const SgdOptions& options) {
  if (std::isfinite(options.dampening)) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] bad dampening: expected a finite number, got {}. Choose another.", operation,
              options.dampening);
}

void check_nesterov(const char* operation, const SgdOptions& options) {
  if (!options.nesterov || (options.momentum > 0 && options.dampening == 0)) return;
  base::raise(
      ErrorCode::kInvalidArgument,
      "[{}] wrong options with nesterov: expected a momentum > 0 and no dampening, got {} and {}. "
      "Choose others.",
      operation, options.momentum, options.dampening);
}

/// Options that change what is computed. Each combination has a function of its own, so that
/// nothing is computed for parts that are left out, and so that 0 times what is not finite adds no
/// NaN.
template <std::size_t kCount>
using Parts = std::array<bool, kCount>;

template <std::size_t kCount>
std::size_t number_of(const Parts<kCount>& parts) {
  std::size_t number = 0;
  for (const bool part : parts) number = 2 * number + (part ? 1 : 0);
  return number;
}

template <std::size_t kCount, class Make>
std::vector<FusedFunction> each_of(const Make& make) {
  std::vector<FusedFunction> functions;
  for (std::size_t number = 0; number < std::size_t{1} << kCount; ++number) {
    Parts<kCount> parts;
    for (std::size_t i = 0; i < kCount; ++i) parts[i] = (number >> (kCount - 1 - i) & 1) != 0;
    functions.push_back(make(parts));
  }
  return functions;
}

using tensor::like;
using tensor::wide;
using Inputs = std::span<const Expression>;

Expression slope_of(bool decays, const Expression& p, const Expression& g,
                    const Expression& decay) {
  return decays ? g + decay * p : g;
}

/// What the update makes of each tensor, or what it was where the update does not apply.
std::vector<Expression> applied(bool is_asked, const Expression& applies,
                                std::vector<Expression> changed,
                                std::initializer_list<Expression> before) {
  if (!is_asked) return changed;
  auto old = before.begin();
  for (Expression& each : changed) each = where(applies, each, *old++);
  return changed;
}

/// Of p, g, rate, applies and decay to p. The parts: decay; whether it is asked if it applies.
const FusedFunction& plain_sgd(const Parts<2>& chosen) {
  static const auto& functions = *new auto(each_of<2>([](const Parts<2>& parts) {
    const auto body = [&parts](Inputs in) {
      const Expression changed = in[0] - in[2] * slope_of(parts[0], in[0], in[1], in[4]);
      return applied(parts[1], in[3], {changed}, {in[0]});
    };
    return FusedFunction(5, body, "sgd_update");
  }));
  return functions[number_of(chosen)];
}

/// Of p, g, v, rate, is_first, applies, decay, momentum and 1 - dampening to p and v. The parts:
/// decay, dampening, Nesterov's, the first step, in which v is not read; whether elements say if it
/// is the first one and if the update applies.
const FusedFunction& sgd_with_momentum(const Parts<6>& chosen) {
  static const auto& functions = *new auto(each_of<6>([](const Parts<6>& parts) {
    const auto body = [&parts](Inputs in) {
      const auto [decays, dampens, looks_ahead, is_first, asks_first, asks_applies] = parts;
      const Expression &p = in[0], &v = in[2], &rate = in[3], &momentum = in[7], &share = in[8];
      const Expression slope = slope_of(decays, p, in[1], in[6]);
      const Expression later = momentum * v + (dampens ? share * slope : slope);
      const Expression velocity = is_first     ? slope
                                  : asks_first ? where(in[4], slope, later)
                                               : later;
      const Expression change = looks_ahead ? slope + momentum * velocity : velocity;
      return applied(asks_applies, in[5], {p - rate * change, velocity}, {p, v});
    };
    return FusedFunction(9, body, "sgd_update");
  }));
  return functions[number_of(chosen)];
}

/// Of p, g, m, v, step, epsilon, 1 - rate decay, applies, decay, beta1, 1 - beta1, beta2 and
/// 1 - beta2 to p, m and v. The parts: decay of the gradient, decay of the parameter; whether it is
/// asked if it applies.
const FusedFunction& adam(const Parts<3>& chosen) {
  static const auto& functions = *new auto(each_of<3>([](const Parts<3>& parts) {
    const auto body = [&parts](Inputs in) {
      // 16-bit floats are computed in f32: in f16 the usual epsilon is 0.
      const Expression p = wide(in[0]);
      const Expression slope = slope_of(parts[0], p, wide(in[1]), in[8]);
      const Expression mean = in[9] * wide(in[2]) + in[10] * slope;
      const Expression second = in[11] * wide(in[3]) + in[12] * square(slope);
      const Expression kept = parts[1] ? in[6] * p : p;
      const Expression changed = kept - in[4] * mean / (sqrt(second) + in[5]);
      return applied(parts[2], in[7],
                     {like(changed, in[0]), like(mean, in[2]), like(second, in[3])},
                     {in[0], in[2], in[3]});
    };
    return FusedFunction(13, body, "adam_update");
  }));
  return functions[number_of(chosen)];
}

void check_options(const char* operation, const SgdOptions& options) {
  check_not_negative(operation, "learning_rate", options.learning_rate);
  check_not_negative(operation, "momentum", options.momentum);
  check_not_negative(operation, "weight_decay", options.weight_decay);
  check_dampening(operation, options);
  check_nesterov(operation, options);
}

void check_options(const char* operation, const AdamOptions& options) {
  check_not_negative(operation, "learning_rate", options.learning_rate);
  check_not_negative(operation, "epsilon", options.epsilon);
  check_not_negative(operation, "weight_decay", options.weight_decay);
  for (const auto& [name, beta] : {std::pair("beta1", options.beta1), {"beta2", options.beta2}}) {
    if (beta >= 0 && beta < 1) continue;
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] bad {}: expected 0 or more and less than 1, got {}. Choose another.",
                operation, name, beta);
  }
}

void check_count(const char* operation, std::span<const UpdateNumbers> numbers,
                 const TensorList& parameters) {
  if (numbers.size() == parameters.size()) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] wrong number of numbers: expected {}, those of each parameter, got {}.",
              operation, parameters.size(), numbers.size());
}

/// Groups in which all ask if the update applies, and groups in which none does.
std::array<std::vector<UpdateGroup>, 2> by_applies(std::vector<UpdateGroup> groups,
                                                   std::span<const UpdateNumbers> numbers) {
  std::array<std::vector<UpdateGroup>, 2> parts;
  for (UpdateGroup& group : groups) {
    parts[numbers[group.first].applies.defined() ? 1 : 0].push_back(std::move(group));
  }
  return parts;
}

constexpr const char* kSgd = "sgd_update";
constexpr const char* kAdam = "adam_update";

std::vector<UpdateGroup> sgd_groups(const TensorList& parameters, const TensorList& gradients,
                                    const TensorList& velocities, const SgdOptions& options,
                                    bool joins) {
  const std::array<UpdateList, 3> lists{
      UpdateList{"parameters", parameters}, {"gradients", gradients}, {"velocities", velocities}};
  return groups_of(kSgd, std::span(lists).first(options.momentum == 0 ? 2 : 3), joins);
}

std::vector<UpdateGroup> adam_groups(const TensorList& parameters, const TensorList& gradients,
                                     const TensorList& means, const TensorList& squares,
                                     bool joins) {
  const std::array<UpdateList, 4> lists{UpdateList{"parameters", parameters},
                                        {"gradients", gradients},
                                        {"means", means},
                                        {"squares", squares}};
  return groups_of(kAdam, lists, joins);
}

}  // namespace

void sgd_update(const TensorList& parameters, const TensorList& gradients,
                const TensorList& velocities, std::int64_t step, const SgdOptions& options) {
  check_step(kSgd, step);
  check_options(kSgd, options);
  const tensor::Recording recording(false);
  const double rate = options.learning_rate, decay = options.weight_decay;
  auto groups = sgd_groups(parameters, gradients, velocities, options, /*joins=*/true);
  if (options.momentum == 0) {
    const auto numbers = [rate](auto, auto&) { return std::array<TensorOrScalar, 2>{rate, 0}; };
    update(plain_sgd({decay != 0, false}), std::move(groups), {0}, numbers, {decay});
    return;
  }
  const auto numbers = [rate](auto, auto&) { return std::array<TensorOrScalar, 3>{rate, 0, 0}; };
  update(sgd_with_momentum(
             {decay != 0, options.dampening != 0, options.nesterov, step == 1, false, false}),
         std::move(groups), {0, 2}, numbers, {decay, options.momentum, 1 - options.dampening});
}

void sgd_update(const TensorList& parameters, const TensorList& gradients,
                const TensorList& velocities, std::span<const UpdateNumbers> numbers,
                const SgdOptions& options) {
  check_options(kSgd, options);
  check_count(kSgd, numbers, parameters);
  const tensor::Recording recording(false);
  const bool decays = options.weight_decay != 0;
  auto parts =
      by_applies(sgd_groups(parameters, gradients, velocities, options, /*joins=*/false), numbers);
  for (const bool asks : {false, true}) {
    std::vector<UpdateGroup>& groups = parts[asks ? 1 : 0];
    if (groups.empty()) continue;
    const auto known = tensor::sgd_numbers(kSgd, groups, numbers);
    if (options.momentum == 0) {
      const auto of = [&](std::size_t g, auto&) {
        return std::array{known[g].rate, known[g].applies};
      };
      update(plain_sgd({decays, asks}), std::move(groups), {0}, of, {options.weight_decay});
      continue;
    }
    const auto of = [&](std::size_t g, auto&) {
      return std::array{known[g].rate, known[g].is_first, known[g].applies};
    };
    update(sgd_with_momentum({decays, options.dampening != 0, options.nesterov, false, true, asks}),
           std::move(groups), {0, 2}, of,
           {options.weight_decay, options.momentum, 1 - options.dampening});
  }
}

void adam_update(const TensorList& parameters, const TensorList& gradients, const TensorList& means,
                 const TensorList& squares, std::int64_t step, const AdamOptions& options) {
  check_step(kAdam, step);
  check_options(kAdam, options);
  const tensor::Recording recording(false);
  const double decay = options.weight_decay;
  // Of devices without f64 and with it: the parameters of one call may be on both.
  std::array<std::optional<tensor::AdamNumbers>, 2> known;
  const auto numbers = [&](auto, const Tensor& parameter) {
    const bool in_f64 = computes_in_f64(parameter);
    auto& made = known[in_f64 ? 1 : 0];
    if (!made) made = tensor::adam_numbers(options, step, in_f64);
    const tensor::AdamNumbers& of = *made;
    return std::array{of.step, of.epsilon, of.kept, of.applies};
  };
  update(adam({decay != 0 && !options.decoupled, decay != 0 && options.decoupled, false}),
         adam_groups(parameters, gradients, means, squares, /*joins=*/true), {0, 2, 3}, numbers,
         {decay, options.beta1, 1 - options.beta1, options.beta2, 1 - options.beta2});
}

void adam_update(const TensorList& parameters, const TensorList& gradients, const TensorList& means,
                 const TensorList& squares, std::span<const UpdateNumbers> numbers,
                 const AdamOptions& options) {
  check_options(kAdam, options);
  check_count(kAdam, numbers, parameters);
  const tensor::Recording recording(false);
  const double decay = options.weight_decay;
  auto parts =
      by_applies(adam_groups(parameters, gradients, means, squares, /*joins=*/false), numbers);
  for (const bool asks : {false, true}) {
    std::vector<UpdateGroup>& groups = parts[asks ? 1 : 0];
    if (groups.empty()) continue;
    const auto known = tensor::adam_numbers(kAdam, groups, numbers, options);
    const auto of = [&](std::size_t g, auto&) {
      return std::array{known[g].step, known[g].epsilon, known[g].kept, known[g].applies};
    };
    update(adam({decay != 0 && !options.decoupled, decay != 0 && options.decoupled, asks}),
           std::move(groups), {0, 2, 3}, of,
           {decay, options.beta1, 1 - options.beta1, options.beta2, 1 - options.beta2});
  }
}

}  // namespace patchbay

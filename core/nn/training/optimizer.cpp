// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "patchbay/autograd.h"
#include "patchbay/fuse.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/nn/module/place.h"

namespace patchbay::nn {

using runtime::raise;

namespace {

void check_rate(double rate) {
  if (!(rate >= 0) || !std::isfinite(rate)) {
    raise(ErrorCode::kInvalidArgument,
          "[Optimizer] a wrong learning rate: expected a finite number >= 0, got {}", rate);
  }
}

/// Of what is kept of a parameter.
DType kept_dtype(DType dtype) { return size_bytes(dtype) < 4 ? DType::f32 : dtype; }

/// Tensors that move with their parameters.
std::vector<std::shared_ptr<Tensor>> companions_of(const std::vector<Parameter>& parameters) {
  std::vector<std::shared_ptr<Tensor>> list;
  for (const Parameter& parameter : parameters) list.push_back(parameter.place().companions.add());
  return list;
}

template <DType kDtype>
void follow(const Tensor& master, const Tensor& value) {
  static const auto& newest = *new auto(fuse(
      [](const Expression& kept, const Expression& now) {
        return where(eq(kept.cast(kDtype), now), kept, now.cast(DType::f32));
      },
      "step"));
  newest.out(master, master, value);
}

/// Takes over elements of the parameter that are not those of the master weights, rounded.
void take_over(const Tensor& master, const Tensor& value) {
  if (value.dtype() == DType::f16) {
    follow<DType::f16>(master, value.detach());
  } else {
    follow<DType::bf16>(master, value.detach());
  }
}

/// Throws an error about a state that does not fit the optimiser.
template <class... Args>
[[noreturn]] void refuse_state(ErrorCode code, fmt::format_string<Args...> what, Args&&... args) {
  raise(code,
        "[set_state] {}. Pass the state of an optimiser of this kind, for parameters of these "
        "shapes.",
        fmt::format(what, std::forward<Args>(args)...));
}

/// What a state keeps of parameter `number`, where and as the optimiser keeps it.
Tensor copy_for(const Parameter& parameter, const Tensor& kept, std::size_t number) {
  if (!kept.defined()) return {};
  module::check_has_shape("set_state", fmt::format("parameter {}", number), parameter);
  const Tensor& value = parameter.value();
  if (kept.shape() != value.shape()) {
    refuse_state(ErrorCode::kShapeMismatch, "tensor {} has another shape: expected {}, got {}",
                 number, patchbay::to_string(value.shape()), patchbay::to_string(kept.shape()));
  }
  if (!is_floating(kept.dtype())) {
    refuse_state(ErrorCode::kDtypeMismatch, "tensor {} has another dtype: expected floats, got {}",
                 number, patchbay::to_string(kept.dtype()));
  }
  return kept.detach().to(value.device(), {.copy = true}).cast(kept_dtype(value.dtype()));
}

void check_steps(std::int64_t steps) {
  if (steps >= 0 && steps < std::numeric_limits<std::int64_t>::max()) return;
  raise(ErrorCode::kInvalidArgument,
        "[set_state] a wrong number of steps: expected 0 or more, got {}", steps);
}

Tensor scaled(const Tensor& gradient, double factor) {
  Tensor wide = gradient.cast(kept_dtype(gradient.dtype()));
  return factor == 1 ? wide : wide * factor;
}

}  // namespace

Optimizer::Optimizer(std::vector<Parameter> parameters, double learning_rate, std::size_t num_lists)
    : parameters_(std::move(parameters)),
      learning_rate_(learning_rate),
      parameter_steps_(parameters_.size(), 0),
      lists_(num_lists) {
  check_rate(learning_rate);
  if (parameters_.empty()) {
    raise(ErrorCode::kInvalidArgument,
          "[Optimizer] no parameters: expected those of a model, model.parameters()");
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (std::find(parameters_.begin(), parameters_.begin() + static_cast<std::ptrdiff_t>(i),
                  parameters_[i]) != parameters_.begin() + static_cast<std::ptrdiff_t>(i)) {
      raise(ErrorCode::kInvalidArgument,
            "[Optimizer] a parameter occurs twice: expected each once, got number {} again. Leave "
            "it out.",
            i);
    }
  }
  for (auto& list : lists_) list = companions_of(parameters_);
  masters_ = companions_of(parameters_);
}

Optimizer::~Optimizer() = default;

void Optimizer::set_learning_rate(double rate) {
  check_rate(rate);
  learning_rate_ = rate;
}

void Optimizer::check_parameters() const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const std::string name = fmt::format("parameter {}", i);
    module::check_has_shape("step", name, parameters_[i]);
    const Tensor& value = parameters_[i].value();
    if (value.grad().defined()) check_writable("step", value, name);
  }
}

/// Makes what is not there yet.
void Optimizer::prepare() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].value().grad().defined()) continue;
    for (auto& list : lists_) prepare_list(*list[i], i);
    prepare_master(i);
  }
}

void Optimizer::prepare_list(Tensor& kept, std::size_t number) const {
  const Tensor& value = parameters_[number].value();
  const DType dtype = kept_dtype(value.dtype());
  if (!kept.defined()) {
    kept = zeros(value.shape(), {dtype, value.device()});
  } else if (kept.shape() != value.shape()) {
    raise(ErrorCode::kShapeMismatch,
          "[step] parameter {} has another shape than before: expected {}, got {}. Make a new "
          "optimiser.",
          number, patchbay::to_string(kept.shape()), patchbay::to_string(value.shape()));
  } else if (kept.device() != value.device()) {
    raise(ErrorCode::kDeviceMismatch,
          "[step] parameter {} got a tensor on another device: expected {}, got {}. Move the "
          "model by move_to, or make a new optimiser.",
          number, kept.device().name(), value.device().name());
  } else {
    kept = kept.cast(dtype);
  }
}

void Optimizer::prepare_master(std::size_t number) {
  const Tensor& value = parameters_[number].value();
  Tensor& master = *masters_[number];
  if (kept_dtype(value.dtype()) == value.dtype()) {
    master = Tensor();
    return;
  }
  if (!master.defined()) {
    master = value.detach().cast(DType::f32);
    return;
  }
  prepare_list(master, number);
  take_over(master, value);
}

void Optimizer::step(double gradient_factor) {
  if (!std::isfinite(gradient_factor)) {
    raise(
        ErrorCode::kInvalidArgument,
        "[step] a wrong factor of the gradients: expected a finite number, got {}. Pass 1 to take "
        "them as they are.",
        gradient_factor);
  }
  const NoGrad no_grad;
  check_parameters();
  prepare();
  struct Part {
    TensorList values, gradients;
    std::vector<TensorList> lists;
    std::vector<std::size_t> numbers;
  };
  // By their number of steps: one part, unless some had no gradient before.
  std::map<std::int64_t, Part> parts;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& value = parameters_[i].value();
    const Tensor gradient = value.grad();
    if (!gradient.defined()) continue;
    Part& part = parts[parameter_steps_[i] + 1];
    part.values.push_back(masters_[i]->defined() ? *masters_[i] : value);
    part.gradients.push_back(scaled(gradient, gradient_factor));
    part.lists.resize(lists_.size());
    for (std::size_t k = 0; k < lists_.size(); ++k) part.lists[k].push_back(*lists_[k][i]);
    part.numbers.push_back(i);
  }
  for (const auto& [step, part] : parts) {
    update(part.values, part.gradients, part.lists, step);
    for (const std::size_t i : part.numbers) ++parameter_steps_[i];
  }
  for (const auto& [step, part] : parts) {
    for (const std::size_t i : part.numbers) {
      if (masters_[i]->defined()) parameters_[i]->copy_from(*masters_[i]);
    }
  }
  ++num_steps_;
}

void Optimizer::zero_grad() {
  for (const Parameter& parameter : parameters_) {
    if (parameter.defined()) parameter->set_grad(Tensor());
  }
}

Optimizer::State Optimizer::state() const {
  State state{num_steps_, parameter_steps_, {}, false};
  const auto add = [&](const std::vector<std::shared_ptr<Tensor>>& list) {
    std::vector<Tensor>& tensors = state.lists.emplace_back();
    for (const auto& each : list) tensors.push_back(*each);
  };
  for (const auto& list : lists_) add(list);
  state.has_masters =
      std::ranges::any_of(masters_, [](const auto& each) { return each->defined(); });
  if (state.has_masters) add(masters_);
  return state;
}

void Optimizer::set_state(const State& state) {
  const std::size_t num_masters = state.has_masters ? 1 : 0;
  if (state.lists.size() != lists_.size() + num_masters) {
    refuse_state(ErrorCode::kInvalidArgument,
                 "the state of another optimiser: expected {} lists, got {}",
                 lists_.size() + num_masters, state.lists.size());
  }
  const auto check_size = [&](std::size_t size) {
    if (size == parameters_.size()) return;
    refuse_state(ErrorCode::kInvalidArgument,
                 "the state of another model: expected {} parameters, got {}", parameters_.size(),
                 size);
  };
  check_size(state.parameter_steps.size());
  for (const std::int64_t steps : state.parameter_steps) check_steps(steps);
  check_steps(state.num_steps);
  std::vector<std::vector<Tensor>> copies;
  for (const auto& list : state.lists) {
    check_size(list.size());
    std::vector<Tensor>& tensors = copies.emplace_back();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool is_master = copies.size() > lists_.size();
      if (!list[i].defined() && !is_master && state.parameter_steps[i] > 0) {
        refuse_state(ErrorCode::kInvalidArgument,
                     "tensor {} is missing: expected one after {} steps, got an undefined tensor",
                     i, state.parameter_steps[i]);
      }
      tensors.push_back(copy_for(parameters_[i], list[i], i));
    }
  }
  if (!state.has_masters) copies.emplace_back(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    for (std::size_t k = 0; k < lists_.size(); ++k) *lists_[k][i] = std::move(copies[k][i]);
    *masters_[i] = std::move(copies.back()[i]);
  }
  num_steps_ = state.num_steps;
  parameter_steps_ = state.parameter_steps;
}

// ---------------------------------------------------------------------------- optimisers ---

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

Adam::Adam(std::vector<Parameter> parameters, const AdamOptions& options)
    : Optimizer(std::move(parameters), options.learning_rate, 2),
      options_(checked(options.decoupled ? "AdamW" : "Adam", options)) {}

void Adam::update(const TensorList& parameters, const TensorList& gradients,
                  const std::vector<TensorList>& lists, std::int64_t step) {
  options_.learning_rate = learning_rate();
  adam_update(parameters, gradients, lists[0], lists[1], step, options_);
}

namespace {

TensorList gradients_of(const char* operation, std::span<const Parameter> parameters) {
  TensorList gradients;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Tensor gradient = parameters[i].defined() ? parameters[i]->grad() : Tensor();
    if (!gradient.defined()) continue;
    check_writable(operation, gradient, fmt::format("the gradient of parameter {}", i));
    gradients.push_back(std::move(gradient));
  }
  for (const Tensor& each : gradients) {
    if (each.device() == gradients.front().device()) continue;
    raise(ErrorCode::kDeviceMismatch,
          "[{}] the gradients are on several devices: expected all on {}, got one on {}. Give the "
          "parameters of one device at a time.",
          operation, gradients.front().device().name(), each.device().name());
  }
  return gradients;
}

}  // namespace

AdamW::AdamW(std::vector<Parameter> parameters, const AdamWOptions& options)
    : Adam(std::move(parameters), {.learning_rate = options.learning_rate,
                                   .beta1 = options.beta1,
                                   .beta2 = options.beta2,
                                   .epsilon = options.epsilon,
                                   .weight_decay = options.weight_decay,
                                   .decoupled = true}) {}

Tensor clip_grad_norm(std::span<const Parameter> parameters, double most) {
  if (!(most > 0)) {
    raise(ErrorCode::kInvalidArgument,
          "[clip_grad_norm] bad norm: expected more than 0, got {}. Choose another.", most);
  }
  const TensorList gradients = gradients_of("clip_grad_norm", parameters);
  if (gradients.empty()) {
    return zeros({}, parameters.empty() ? default_device() : parameters.front().device());
  }
  return clip_by_norm(gradients, most);
}

void clip_grad_value(std::span<const Parameter> parameters, double limit) {
  if (!(limit >= 0)) {
    raise(ErrorCode::kInvalidArgument,
          "[clip_grad_value] bad limit: expected 0 or more, got {}. Choose another.", limit);
  }
  clip_by_value(gradients_of("clip_grad_value", parameters), limit);
}

}  // namespace patchbay::nn

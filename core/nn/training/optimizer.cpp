// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "patchbay/autograd.h"
#include "patchbay/fuse.h"
#include "patchbay/graph.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/nn/module/parameter_state.h"
#include "core/nn/training/step_numbers.h"

namespace patchbay::nn {

using base::raise;

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
  for (const Parameter& parameter : parameters) list.push_back(parameter.state().companions.add());
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
  if (!is_floating(kept.dtype()) && !is_complex(kept.dtype())) {
    refuse_state(ErrorCode::kDtypeMismatch, "tensor {} has another dtype: expected floats, got {}",
                 number, patchbay::to_string(kept.dtype()));
  }
  return kept.detach().to(value.device(), {.copy = true}).cast(kept_dtype(value.dtype()));
}

bool is_alike(const Tensor& a, const Tensor& b) {
  return a.defined() && b.defined() && a.shape() == b.shape() && a.dtype() == b.dtype() &&
         a.device() == b.device();
}

void check_steps(std::int64_t steps) {
  if (steps >= 0 && steps < std::numeric_limits<std::int64_t>::max()) return;
  raise(ErrorCode::kInvalidArgument,
        "[set_state] a wrong number of steps: expected 0 or more, got {}", steps);
}

/// A factor, brought once to each device and dtype that needs it.
class FactorOnDevices {
 public:
  explicit FactorOnDevices(const TensorOrScalar& factor) : factor_(factor) {}

  /// For gradients of that dtype there.
  TensorOrScalar of(const Tensor& gradient) {
    if (!factor_.is_tensor()) return factor_;
    const Device device = gradient.device();
    const DType dtype = kept_dtype(gradient.dtype());
    for (const Tensor& copy : copies_) {
      if (copy.device() == device && copy.dtype() == dtype) return copy;
    }
    copies_.push_back(factor_.tensor().to(device).cast(dtype));
    return copies_.back();
  }

 private:
  const TensorOrScalar& factor_;
  std::vector<Tensor> copies_;
};

Tensor scaled(const Tensor& gradient, const TensorOrScalar& factor) {
  Tensor wide = gradient.cast(kept_dtype(gradient.dtype()));
  if (!factor.is_tensor()) {
    const double number = factor.scalar().to_double();
    return number == 1 ? wide : wide * number;
  }
  return wide * factor.tensor();
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
            "[Optimizer] a parameter occurs twice: number {} is an earlier one. Leave it out.", i);
    }
  }
  for (auto& list : lists_) list = companions_of(parameters_);
  masters_ = companions_of(parameters_);
}

Optimizer::~Optimizer() = default;

double Optimizer::learning_rate() const {
  return records_rate_ ? numbers_->learning_rate() : learning_rate_;
}

void Optimizer::set_learning_rate(double rate) {
  check_rate(rate);
  const bool is_recorded = is_recording_graph();
  if (is_recorded) make_numbers();
  if (numbers_ != nullptr) numbers_->set_learning_rate(rate);
  learning_rate_ = rate;
  records_rate_ = records_rate_ || is_recorded;  // each replay sets it
}

std::int64_t Optimizer::num_steps() const {
  return has_recorded_ ? numbers_->num_steps() : num_steps_;
}

/// Makes the numbers that recorded steps use, or makes them again where the parameters are now.
void Optimizer::make_numbers() {
  const RecordingPause pause;
  if (numbers_ != nullptr && numbers_->fit(parameters_)) {
    if (!has_recorded_) numbers_->set_counts({num_steps_, parameter_steps_});
    return;
  }
  StepNumbers::Counts counts{num_steps_, parameter_steps_};
  if (has_recorded_) counts = numbers_->counts();
  numbers_ = std::make_unique<StepNumbers>(parameters_, counts, learning_rate());
}

void Optimizer::check_parameters() const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const std::string name = fmt::format("parameter {}", i);
    module::check_has_shape("step", name, parameters_[i]);
    const Tensor& value = parameters_[i].value();
    if (value.grad().defined()) check_writable("step", value, name);
  }
}

/// Makes what is not there yet, outside of a recording: each replay goes on with it.
void Optimizer::prepare() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].value().grad().defined()) continue;
    {
      const RecordingPause pause;
      for (auto& list : lists_) prepare_list(*list[i], i);
    }
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
          "[step] parameter {} got a tensor on another device: expected {}, got {}. Move the model "
          "by move_to, or make a new optimiser.",
          number, kept.device().name(), value.device().name());
  } else {
    kept = kept.cast(dtype);
  }
}

void Optimizer::prepare_master(std::size_t number) {
  const bool is_recording = is_recording_graph();
  const Tensor& value = parameters_[number].value();
  Tensor& master = *masters_[number];
  if (kept_dtype(value.dtype()) == value.dtype()) {
    master = Tensor();
    return;
  }
  {
    // A master of elements that the recording computes is made with them.
    std::optional<RecordingPause> pause;
    if (!is_made_in_recording(value)) pause.emplace();
    if (master.defined()) {
      prepare_list(master, number);
    } else {
      master = value.detach().cast(DType::f32);
      if (!is_recording) return;
    }
  }
  take_over(master, value);
}

void Optimizer::step(double gradient_factor) {
  if (!std::isfinite(gradient_factor)) {
    raise(ErrorCode::kInvalidArgument,
          "[step] a wrong factor of the gradients: expected a finite number, got {}. Pass 1 to "
          "take them as they are.",
          gradient_factor);
  }
  change(gradient_factor, {});
}

void Optimizer::change(const TensorOrScalar& factor, const Tensor& applies) {
  const NoGrad no_grad;
  check_parameters();
  prepare();
  if (is_recording_graph() || has_recorded_) {
    change_by_numbers(factor, applies);
  } else {
    change_by_counts(factor);
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const bool has_changed = parameters_[i].value().grad().defined();
    if (has_changed && masters_[i]->defined()) parameters_[i]->copy_from(*masters_[i]);
  }
}

struct Optimizer::Part {
  TensorList values, gradients;
  std::vector<TensorList> lists;
  std::vector<std::size_t> numbers;

  void add(const Optimizer& of, std::size_t number, const TensorOrScalar& factor);
};

void Optimizer::Part::add(const Optimizer& of, std::size_t number, const TensorOrScalar& factor) {
  const Tensor& value = of.parameters_[number].value();
  values.push_back(of.masters_[number]->defined() ? *of.masters_[number] : value);
  gradients.push_back(scaled(value.grad(), factor));
  lists.resize(of.lists_.size());
  for (std::size_t k = 0; k < lists.size(); ++k) lists[k].push_back(*of.lists_[k][number]);
  numbers.push_back(number);
}

void Optimizer::change_by_counts(const TensorOrScalar& factor) {
  FactorOnDevices factors(factor);
  // By their number of steps: one part, unless some had no gradient before.
  std::map<std::int64_t, Part> parts;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].value().grad().defined()) continue;
    parts[parameter_steps_[i] + 1].add(*this, i, factors.of(parameters_[i].value().grad()));
  }
  for (const auto& [step, part] : parts) {
    update(part.values, part.gradients, part.lists, step);
    for (const std::size_t i : part.numbers) ++parameter_steps_[i];
  }
  ++num_steps_;
}

/// In a recording, and from then on, as the host does not know how often the graph is replayed.
void Optimizer::change_by_numbers(const TensorOrScalar& factor, const Tensor& applies) {
  make_numbers();
  FactorOnDevices factors(factor);
  Part part;
  std::vector<UpdateNumbers> numbers;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].value().grad().defined()) continue;
    part.add(*this, i, factors.of(parameters_[i].value().grad()));
  }
  numbers_->count(parameters_, applies);
  for (const std::size_t i : part.numbers) numbers.push_back(numbers_->of(i));
  try {
    if (!numbers.empty()) update_recorded(part.values, part.gradients, part.lists, numbers);
  } catch (...) {
    numbers_->count_back(parameters_);
    throw;
  }
  has_recorded_ = true;
}

void Optimizer::update_recorded(const TensorList&, const TensorList&,
                                const std::vector<TensorList>&, std::span<const UpdateNumbers>) {
  raise(ErrorCode::kInvalidArgument,
        "[step] this optimiser can't be recorded: expected one that overrides update_recorded, "
        "whose numbers a replay reads. Override it, or make the step after a replay.");
}

void Optimizer::zero_grad() {
  for (const Parameter& parameter : parameters_) {
    if (parameter.defined()) parameter->set_grad(Tensor());
  }
}

Optimizer::State Optimizer::state() const {
  State state{num_steps_, parameter_steps_, {}, false};
  if (has_recorded_) {
    const StepNumbers::Counts counts = numbers_->counts();
    state.num_steps = counts.num_steps;
    state.parameter_steps = counts.parameter_steps;
  }
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
                     "tensor {} is undefined, although {} steps were made", i,
                     state.parameter_steps[i]);
      }
      tensors.push_back(copy_for(parameters_[i], list[i], i));
    }
  }
  if (!state.has_masters) copies.emplace_back(parameters_.size());
  // A graph goes on with the storage that it has, also from a state without tensors.
  const bool is_recorded = numbers_ != nullptr;
  const auto take = [is_recorded](Tensor& kept, Tensor next, const auto& make_first) {
    if (is_recorded && kept.defined() && !next.defined()) next = make_first();
    if (is_recorded && is_alike(kept, next)) {
      kept.copy_from(next);
    } else {
      kept = std::move(next);
    }
  };
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    for (std::size_t k = 0; k < lists_.size(); ++k) {
      Tensor& kept = *lists_[k][i];
      take(kept, std::move(copies[k][i]), [&] { return zeros_like(kept); });
    }
    take(*masters_[i], std::move(copies.back()[i]),
         [&] { return parameters_[i]->detach().cast(DType::f32); });
  }
  num_steps_ = state.num_steps;
  parameter_steps_ = state.parameter_steps;
  if (numbers_ != nullptr) numbers_->set_counts({num_steps_, parameter_steps_});
}

}  // namespace patchbay::nn

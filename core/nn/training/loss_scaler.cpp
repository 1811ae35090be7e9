// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/loss_scaler.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "patchbay/autograd.h"
#include "patchbay/concat.h"
#include "patchbay/fuse.h"
#include "patchbay/graph.h"
#include "patchbay/ops.h"

#include "core/base/error.h"

namespace patchbay::nn {
namespace {

using base::raise;

/// Losses are multiplied by it, and gradients divided.
bool is_scale(double scale) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return scale <= kMost && scale >= 1 / kMost;
}

void check_scale(double scale) {
  if (is_scale(scale)) return;
  raise(
      ErrorCode::kInvalidArgument,
      "[LossScaler] a wrong scale: expected one that f32 can hold, and its reciprocal too, got {}",
      scale);
}

/// Of each device of the gradients a 0-d bool: whether all of them there are finite. Queued.
std::vector<Tensor> finite_flags(const Optimizer& optimizer) {
  const NoGrad no_grad;
  std::vector<std::pair<Device, std::vector<Tensor>>> devices;
  for (const Parameter& parameter : optimizer.parameters()) {
    const Tensor gradient = parameter.defined() ? parameter->grad() : Tensor();
    if (!gradient.defined()) continue;
    const Device device = gradient.device();
    auto found = std::ranges::find(devices, device, [](const auto& each) { return each.first; });
    if (found == devices.end()) found = devices.insert(found, {device, {}});
    found->second.push_back(all(isfinite(gradient)));
  }
  std::vector<Tensor> flags;
  for (const auto& [device, each] : devices) flags.push_back(all(stack(each)));
  return flags;
}

/// Of scale, good steps, whether this one is made, growth, backoff and interval to the scale and
/// the good steps after it.
const FusedFunction& next_scale() {
  static const auto& function = *new FusedFunction(
      6,
      [](std::span<const Expression> in) {
        constexpr double kMost = std::numeric_limits<float>::max();
        const Expression &scale = in[0], &is_made = in[2];
        const Expression good = in[1] + 1;
        const Expression grows = logical_and(is_made, ge(good, in[5]));
        const Expression changed = where(is_made, scale * in[3], scale * in[4]);
        const Expression fits = logical_and(le(changed, kMost), ge(changed, 1 / kMost));
        const Expression changes = logical_and(fits, logical_or(grows, logical_not(is_made)));
        return std::vector{where(changes, changed, scale),
                           where(logical_and(is_made, logical_not(grows)), good, 0)};
      },
      "loss_scale");
  return function;
}

}  // namespace

LossScaler::LossScaler(const LossScalerOptions& options)
    : options_(options), scale_(options.scale) {
  check_scale(options.scale);
  const bool is_valid = options.growth >= 1 && options.backoff > 0 && options.backoff < 1 &&
                        options.growth_interval >= 1;
  if (is_valid) return;
  raise(ErrorCode::kInvalidArgument,
        "[LossScaler] wrong options: expected growth >= 1, backoff above 0 and below 1, and an "
        "interval >= 1, got {}, {} and {}",
        options.growth, options.backoff, options.growth_interval);
}

LossScaler::~LossScaler() = default;
LossScaler::LossScaler(LossScaler&&) noexcept = default;
LossScaler& LossScaler::operator=(LossScaler&&) noexcept = default;

/// On one device; made outside of recordings.
struct LossScaler::Recorded {
  Tensor scale;          // f64, or f32
  Tensor good_steps;     // i64
  bool is_used = false;  // by a graph, so that they count, not the numbers of the host
};

bool LossScaler::uses_elements() const {
  return is_recording_graph() || (recorded_ != nullptr && recorded_->is_used);
}

LossScaler::Recorded& LossScaler::make_elements(const Device& device) {
  const RecordingPause pause;
  const NoGrad no_grad;
  if (recorded_ == nullptr) {
    const DType dtype = device.properties().f64 ? DType::f64 : DType::f32;
    recorded_ = std::make_unique<Recorded>(
        Recorded{zeros({}, {dtype, device}), zeros({}, {DType::i64, device})});
  }
  if (!recorded_->is_used) {
    recorded_->scale.fill_(scale_);
    recorded_->good_steps.fill_(num_good_steps_);
    recorded_->is_used = true;  // a graph reads them from now on
  }
  return *recorded_;
}

LossScale LossScaler::scale() const {
  if (!uses_elements()) return {scale_, {}};
  if (recorded_ == nullptr) {
    raise(ErrorCode::kInvalidArgument,
          "[LossScaler] a graph is being recorded, and no loss was scaled yet, which says where "
          "the scale is: expected scale(loss) before. Call it first.");
  }
  return {scale_, recorded_->scale};
}

Tensor LossScaler::scale(const Tensor& loss) {
  if (!loss.defined()) {
    raise(ErrorCode::kInvalidArgument, "[LossScaler] the loss is undefined. Compute it first.");
  }
  if (loss.dtype() != DType::f32 && loss.dtype() != DType::f64) {
    raise(ErrorCode::kDtypeMismatch,
          "[LossScaler] the loss would overflow: expected f32 or f64, got {}. Convert the model's "
          "output before the loss: net(x).cast(DType::f32).",
          patchbay::to_string(loss.dtype()));
  }
  if (!uses_elements()) return loss * scale_;
  const Tensor& scale = make_elements(loss.device()).scale;
  return loss * scale.to(loss.device()).cast(loss.dtype());
}

ScaledStep LossScaler::step(Optimizer& optimizer) {
  if (uses_elements()) return step_by_elements(optimizer);
  const std::vector<Tensor> flags = finite_flags(optimizer);
  const bool is_finite =
      std::ranges::all_of(flags, [](const Tensor& flag) { return flag.item<bool>(); });
  if (is_finite) {
    optimizer.step(1 / scale_);
    if (++num_good_steps_ < options_.growth_interval) return ScaledStep(true);
  }
  const double changed = scale_ * (is_finite ? options_.growth : options_.backoff);
  if (is_scale(changed)) scale_ = changed;
  num_good_steps_ = 0;
  return ScaledStep(is_finite);
}

/// Makes the step on the device of the scale, to which flags of other devices are copied.
ScaledStep LossScaler::step_by_elements(Optimizer& optimizer) {
  const NoGrad no_grad;
  const std::vector<Tensor> flags = finite_flags(optimizer);
  const Device first = flags.empty() ? optimizer.parameters().front().device() : flags[0].device();
  Recorded& elements = make_elements(first);
  Tensor is_made = ones({}, {DType::boolean, elements.scale.device()});
  for (const Tensor& flag : flags) is_made = logical_and(is_made, flag.to(is_made.device()));
  const Tensor factor = div(1, elements.scale);
  std::optional<bool> known;
  if (is_recording_graph() || optimizer.has_recorded_) {
    optimizer.change(factor, is_made);
  } else {  // its steps are counted by the host
    known = is_made.item<bool>();
    if (*known) optimizer.change(factor, {});
  }
  next_scale().call_out(
      std::array{elements.scale, elements.good_steps},
      std::array<TensorOrScalar, 6>{elements.scale, elements.good_steps, is_made, options_.growth,
                                    options_.backoff, options_.growth_interval});
  if (is_recording_graph()) return ScaledStep(is_made);
  return ScaledStep(known ? *known : is_made.item<bool>());
}

LossScaler::State LossScaler::state() const {
  if (recorded_ == nullptr || !recorded_->is_used) return {scale_, num_good_steps_};
  return {scale(), recorded_->good_steps.item<std::int64_t>()};
}

void LossScaler::set_state(const State& state) {
  check_scale(state.scale);
  if (state.num_good_steps < 0) {
    raise(ErrorCode::kInvalidArgument,
          "[LossScaler] a wrong number of good steps: expected >= 0, got {}", state.num_good_steps);
  }
  scale_ = state.scale;
  num_good_steps_ = state.num_good_steps;
  if (recorded_ == nullptr) return;
  recorded_->scale.fill_(scale_);
  recorded_->good_steps.fill_(num_good_steps_);
}

// -------------------------------------------------------------------------------- its answers ---

LossScale::operator double() const {
  if (!element_.defined()) return factor_ * scale_;
  return factor_ *
         (element_.dtype() == DType::f64 ? element_.item<double>() : element_.item<float>());
}

LossScale LossScale::times(double factor) const {
  LossScale result = *this;
  result.factor_ *= factor;
  return result;
}

Tensor LossScale::on(const Device& device) const {
  return element_.defined() ? (element_ * factor_).to(device) : Tensor();
}

ScaledStep::operator bool() const { return element_.defined() ? element_.item<bool>() : is_made_; }

}  // namespace patchbay::nn

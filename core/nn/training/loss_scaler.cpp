// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/loss_scaler.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "patchbay/autograd.h"
#include "patchbay/concat.h"
#include "patchbay/ops.h"

#include "core/base/error.h"

namespace patchbay::nn {
namespace {

using runtime::raise;

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

/// Fetches one number from each device.
bool are_finite(const Optimizer& optimizer) {
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
  return std::ranges::all_of(
      devices, [](const auto& each) { return all(stack(each.second)).template item<bool>(); });
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

Tensor LossScaler::scale(const Tensor& loss) const {
  if (!loss.defined()) {
    raise(ErrorCode::kInvalidArgument,
          "[LossScaler] the loss is undefined: expected a tensor of f32 or f64, got a "
          "default-constructed handle. Compute it first.");
  }
  if (loss.dtype() == DType::f32 || loss.dtype() == DType::f64) return loss * scale_;
  raise(ErrorCode::kDtypeMismatch,
        "[LossScaler] the loss would overflow: expected f32 or f64, got {}. Convert the model's "
        "output before the loss: net(x).cast(DType::f32).",
        patchbay::to_string(loss.dtype()));
}

bool LossScaler::step(Optimizer& optimizer) {
  const bool is_finite = are_finite(optimizer);
  if (is_finite) {
    optimizer.step(1 / scale_);
    if (++num_good_steps_ < options_.growth_interval) return true;
  }
  const double changed = scale_ * (is_finite ? options_.growth : options_.backoff);
  if (is_scale(changed)) scale_ = changed;
  num_good_steps_ = 0;
  return is_finite;
}

void LossScaler::set_state(const State& state) {
  check_scale(state.scale);
  if (state.num_good_steps < 0) {
    raise(ErrorCode::kInvalidArgument,
          "[LossScaler] a wrong number of good steps: expected >= 0, got {}", state.num_good_steps);
  }
  scale_ = state.scale;
  num_good_steps_ = state.num_good_steps;
}

}  // namespace patchbay::nn

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "patchbay/nn/loss_scaler.h"
#include "patchbay/nn/optimizer.h"

#include "core/base/error.h"

namespace patchbay::nn {

using base::raise;

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
          "[{}] the gradients are on two devices ({} and {}). Pass the parameters of one device at "
          "a time.",
          operation, gradients.front().device().name(), each.device().name());
  }
  return gradients;
}

void check_most(double most) {
  if (most > 0) return;
  raise(ErrorCode::kInvalidArgument,
        "[clip_grad_norm] bad norm: expected more than 0, got {}. Choose another.", most);
}

Tensor norm_of_nothing(std::span<const Parameter> parameters) {
  return zeros({}, parameters.empty() ? default_device() : parameters.front().device());
}

}  // namespace

Tensor clip_grad_norm(std::span<const Parameter> parameters, double most) {
  check_most(most);
  const TensorList gradients = gradients_of("clip_grad_norm", parameters);
  return gradients.empty() ? norm_of_nothing(parameters) : clip_by_norm(gradients, most);
}

Tensor clip_grad_norm(std::span<const Parameter> parameters, const LossScale& most) {
  check_most(most.factor());
  const TensorList gradients = gradients_of("clip_grad_norm", parameters);
  if (gradients.empty()) return norm_of_nothing(parameters);
  const Tensor tensor = most.on(gradients.front().device());
  return tensor.defined() ? clip_by_norm(gradients, tensor) : clip_by_norm(gradients, double{most});
}

void clip_grad_value(std::span<const Parameter> parameters, double limit) {
  if (!(limit >= 0)) {
    raise(ErrorCode::kInvalidArgument,
          "[clip_grad_value] bad limit: expected 0 or more, got {}. Choose another.", limit);
  }
  clip_by_value(gradients_of("clip_grad_value", parameters), limit);
}

}  // namespace patchbay::nn

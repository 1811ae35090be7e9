// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/layers/sizes.h"

#include <cmath>

#include "patchbay/nn/init.h"
#include "patchbay/ops.h"

#include "core/base/error.h"

namespace patchbay::nn::layers {

std::int64_t checked_size(std::string_view layer, std::string_view name, std::int64_t size,
                          std::int64_t least) {
  if (size < least) {
    runtime::raise(ErrorCode::kInvalidArgument, "[{}] a wrong size: expected {} >= {}, got {}",
                   layer, name, least, size);
  }
  return size;
}

void check_defined(const Module& layer, const char* name, const Tensor& operand) {
  if (operand.defined()) return;
  runtime::raise(ErrorCode::kInvalidArgument,
                 "[{0}] {1} is undefined: expected a tensor, got a default-constructed handle. "
                 "Create it first, for example {1} = zeros(shape).",
                 layer.type_name(), name);
}

void create_parameter(const Parameter& parameter, const Shape& shape,
                      const std::function<void(const Tensor&)>& fill) {
  const Tensor tensor = empty(shape, {parameter.dtype(), parameter.device()});
  fill(tensor);
  parameter.set(tensor);
}

void create_uniform(const Parameter& parameter, const Shape& shape, std::int64_t fan) {
  const double limit = fan == 0 ? 0 : 1 / std::sqrt(static_cast<double>(fan));
  create_parameter(parameter, shape,
                   [&](const Tensor& tensor) { init::uniform(tensor, -limit, limit); });
}

Tensor tensor_of(const Parameter& parameter) {
  return parameter.defined() ? parameter.value() : Tensor();
}

}  // namespace patchbay::nn::layers

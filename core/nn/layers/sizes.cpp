// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/layers/sizes.h"

#include <cmath>
#include <utility>

#include "patchbay/graph.h"
#include "patchbay/nn/init.h"
#include "patchbay/ops.h"

#include "core/base/error.h"

namespace patchbay::nn::layers {

std::int64_t checked_size(std::string_view layer, std::string_view name, std::int64_t size,
                          std::int64_t least) {
  if (size < least) {
    base::raise(ErrorCode::kInvalidArgument, "[{}] a wrong size: expected {} >= {}, got {}", layer,
                name, least, size);
  }
  return size;
}

void check_defined(const Module& layer, const char* name, const Tensor& operand) {
  if (operand.defined()) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{0}] {1} is undefined. Create it first, for example {1} = zeros(shape).",
              layer.type_name(), name);
}

namespace {

Tensor filled(const Parameter& parameter, const Shape& shape,
              const std::function<void(const Tensor&)>& fill) {
  Tensor tensor = empty(shape, {parameter.dtype(), parameter.device()});
  fill(tensor);
  return tensor;
}

}  // namespace

void create_parameter(const Parameter& parameter, const Shape& shape,
                      const std::function<void(const Tensor&)>& fill) {
  parameter.set(filled(parameter, shape, fill));
}

std::function<void(const Tensor&)> uniform_in(std::int64_t fan) {
  const double limit = fan == 0 ? 0 : 1 / std::sqrt(static_cast<double>(fan));
  return [limit](const Tensor& tensor) { init::uniform(tensor, -limit, limit); };
}

void create_uniform(const Parameter& parameter, const Shape& shape, std::int64_t fan) {
  create_parameter(parameter, shape, uniform_in(fan));
}

void create_missing(std::string_view layer, const std::vector<Wanted>& all) {
  for (const Wanted& each : all) {
    if (!each.parameter.defined() || each.parameter->shape() == each.shape) continue;
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] {} does not fit this input: expected {}, got {}. Load values of the right "
                "shape, or give the layer another input.",
                layer, each.name, patchbay::to_string(each.shape),
                patchbay::to_string(each.parameter->shape()));
  }
  // A recording finds them made: its replays must not make them again.
  const RecordingPause pause;
  std::vector<std::pair<Parameter, Tensor>> made;
  for (const Wanted& each : all) {
    if (each.parameter.defined()) continue;
    made.emplace_back(each.parameter, filled(each.parameter, each.shape, each.fill));
  }
  for (const auto& [parameter, tensor] : made) parameter.set(tensor);
}

Tensor tensor_of(const Parameter& parameter) {
  return parameter.defined() ? parameter.value() : Tensor();
}

}  // namespace patchbay::nn::layers

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/normalization.h"

#include "patchbay/nn/init.h"

#include "core/base/error.h"
#include "core/nn/layers/details.h"
#include "core/nn/layers/sizes.h"
#include "core/nn/module/parameter_state.h"

namespace patchbay::nn {
namespace {

using layers::checked_size;
using layers::create_parameter;
using layers::tensor_of;

void create(const Parameter& parameter, const Shape& shape, double value) {
  create_parameter(parameter, shape, [&](const Tensor& tensor) { init::constant(tensor, value); });
}

/// Members without a value are left out.
void add(Members& each, std::string_view name, Parameter& parameter) {
  if (parameter.defined()) each(name, parameter);
}

/// Otherwise statistics of other channels would be mixed, where no weight shows the difference.
void check_channels(const Module& layer, const Tensor& x, std::int64_t channels) {
  layers::check_defined(layer, "input", x);
  if (x.rank() < 2 || channels < 0 || x.size(1) == channels) return;  // the operation checks ranks
  base::raise(ErrorCode::kShapeMismatch,
              "[{}] the input has another number of channels: expected [n, {}, ...], got {}",
              layer.type_name(), channels, patchbay::to_string(x.shape()));
}

/// f16 and bf16 would lose what a batch adds to running statistics.
Parameter statistic(const TensorOptions& options) {
  const bool is_wide = options.dtype.value_or(DType::f32) == DType::f64;
  TensorOptions stored = options;
  stored.dtype = is_wide ? DType::f64 : DType::f32;
  Parameter parameter(stored);
  parameter.state().is_trained = false;
  return parameter;
}

}  // namespace

BatchNorm::BatchNorm(const BatchNormLayerOptions& options)
    : weight(options.tensor),
      bias(options.tensor),
      running_mean(statistic(options.tensor)),
      running_var(statistic(options.tensor)),
      options_(options) {}

BatchNorm::BatchNorm(Index channels, const BatchNormLayerOptions& options) : BatchNorm(options) {
  create(checked_size("BatchNorm", "channels", channels));
}

void BatchNorm::create(std::int64_t channels) {
  std::vector<layers::Wanted> all;
  const auto want = [&](const char* name, const Parameter& parameter, double value) {
    all.push_back({name, parameter, {channels}, [value](const Tensor& tensor) {
                     init::constant(tensor, value);
                   }});
  };
  if (options_.affine) {
    want("weight", weight, 1);
    want("bias", bias, 0);
  }
  if (options_.track_running) {
    want("running_mean", running_mean, 0);
    want("running_var", running_var, 1);
  }
  layers::create_missing("LazyBatchNorm", all);
  channels_ = channels;
}

void BatchNorm::learn(const Tensor& x) {
  layers::check_defined(*this, "input", x);
  if (channels_ < 0 && x.rank() >= 2) create(x.size(1));
}

Tensor BatchNorm::forward(const Tensor& x) {
  check_channels(*this, x, channels_);
  return batch_norm(x, {.running_mean = tensor_of(running_mean),
                        .running_var = tensor_of(running_var),
                        .weight = tensor_of(weight),
                        .bias = tensor_of(bias),
                        .training = is_training() || !options_.track_running,
                        .momentum = options_.momentum,
                        .epsilon = options_.epsilon});
}

/// Also those that a lazy layer has not made yet.
void BatchNorm::members(Members& each) {
  if (options_.affine) {
    each("weight", weight);
    each("bias", bias);
  }
  if (options_.track_running) {
    each.buffer("running_mean", running_mean);
    each.buffer("running_var", running_var);
  }
}

std::string BatchNorm::details() const {
  if (channels_ >= 0) return std::to_string(channels_);
  return layers::extent_text(options_.affine ? weight : running_mean, 1, 0);
}

Tensor LazyBatchNorm::forward(const Tensor& x) {
  learn(x);
  return BatchNorm::forward(x);
}

LayerNorm::LayerNorm(const Shape& shape, const NormLayerOptions& options)
    : weight(options.tensor), bias(options.tensor), shape_(shape), options_(options) {
  if (!options.affine) return;
  create(weight, shape, 1);
  if (options.bias) create(bias, shape, 0);
}

Tensor LayerNorm::forward(const Tensor& x) {
  return layer_norm(x, shape_, tensor_of(weight), tensor_of(bias), options_.epsilon);
}

void LayerNorm::members(Members& each) {
  add(each, "weight", weight);
  add(each, "bias", bias);
}

std::string LayerNorm::details() const { return patchbay::to_string(shape_); }

GroupNorm::GroupNorm(const char* layer, Index num_groups, Index channels,
                     const NormLayerOptions& options)
    : weight(options.tensor),
      bias(options.tensor),
      num_groups_(num_groups),
      channels_(checked_size(layer, "channels", channels)),
      options_(options) {
  if (num_groups_ < 1 || channels_ % num_groups_ != 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] wrong groups: expected a divisor of {} channels, got {}", layer, channels_,
                num_groups_);
  }
  if (!options.affine) return;
  create(weight, {channels_}, 1);
  if (options.bias) create(bias, {channels_}, 0);
}

Tensor GroupNorm::forward(const Tensor& x) {
  check_channels(*this, x, channels_);
  return group_norm(x, num_groups_, tensor_of(weight), tensor_of(bias), options_.epsilon);
}

void GroupNorm::members(Members& each) {
  add(each, "weight", weight);
  add(each, "bias", bias);
}

std::string GroupNorm::details() const { return fmt::format("{}, {}", num_groups_, channels_); }

std::string InstanceNorm::details() const { return std::to_string(channels()); }

RMSNorm::RMSNorm(const Shape& shape, const RmsNormLayerOptions& options)
    : weight(options.tensor), shape_(shape), options_(options) {
  if (options.affine) create(weight, shape, 1);
}

Tensor RMSNorm::forward(const Tensor& x) {
  return rms_norm(x, shape_, tensor_of(weight), options_.epsilon);
}

void RMSNorm::members(Members& each) { add(each, "weight", weight); }

std::string RMSNorm::details() const { return patchbay::to_string(shape_); }

}  // namespace patchbay::nn

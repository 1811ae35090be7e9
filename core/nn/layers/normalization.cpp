// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/normalization.h"

#include "patchbay/nn/init.h"

#include "core/base/error.h"
#include "core/nn/layers/sizes.h"

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

/// f16 and bf16 would lose what a batch adds to running statistics.
Parameter statistic(const TensorOptions& options, std::int64_t channels, double value) {
  TensorOptions stored = options;
  const DType dtype = options.dtype.value_or(DType::f32);
  stored.dtype = dtype == DType::f64 ? dtype : DType::f32;
  return Parameter(full({channels}, value, stored), /*is_trained=*/false);
}

}  // namespace

BatchNorm::BatchNorm(Index channels, const BatchNormLayerOptions& options)
    : weight(options.tensor),
      bias(options.tensor),
      channels_(checked_size("BatchNorm", "channels", channels)),
      options_(options) {
  if (options.affine) {
    create(weight, {channels_}, 1);
    create(bias, {channels_}, 0);
  }
  if (options.track_running) {
    running_mean = statistic(options.tensor, channels_, 0);
    running_var = statistic(options.tensor, channels_, 1);
  }
}

Tensor BatchNorm::forward(const Tensor& x) {
  return batch_norm(x, {.running_mean = tensor_of(running_mean),
                        .running_var = tensor_of(running_var),
                        .weight = tensor_of(weight),
                        .bias = tensor_of(bias),
                        .training = is_training() || !options_.track_running,
                        .momentum = options_.momentum,
                        .epsilon = options_.epsilon});
}

void BatchNorm::members(Members& each) {
  add(each, "weight", weight);
  add(each, "bias", bias);
  if (running_mean.defined()) each.buffer("running_mean", running_mean);
  if (running_var.defined()) each.buffer("running_var", running_var);
}

std::string BatchNorm::details() const { return std::to_string(channels_); }

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

GroupNorm::GroupNorm(Index num_groups, Index channels, const NormLayerOptions& options)
    : weight(options.tensor),
      bias(options.tensor),
      num_groups_(num_groups),
      channels_(checked_size("GroupNorm", "channels", channels)),
      options_(options) {
  if (num_groups_ < 1 || channels_ % num_groups_ != 0) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[GroupNorm] wrong groups: expected a divisor of {} channels, got {}", channels_,
                   num_groups_);
  }
  if (!options.affine) return;
  create(weight, {channels_}, 1);
  if (options.bias) create(bias, {channels_}, 0);
}

Tensor GroupNorm::forward(const Tensor& x) {
  return group_norm(x, num_groups_, tensor_of(weight), tensor_of(bias), options_.epsilon);
}

void GroupNorm::members(Members& each) {
  add(each, "weight", weight);
  add(each, "bias", bias);
}

std::string GroupNorm::details() const { return fmt::format("{}, {}", num_groups_, channels_); }

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

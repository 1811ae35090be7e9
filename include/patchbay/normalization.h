// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Normalization by mean and variance: docs/layers.md.
//
// Dtypes: floats; f16 and bf16 are computed in f32 and rounded at the end. The variance is the mean
// of the squared deviations, so that a large mean costs it no digits. Weights and biases are
// optional: an undefined one counts as 1 or 0. They have the input's dtype and device. Gradients
// flow to input, weight and bias, and can be differentiated again. Queued. Errors, before any work:
// kDeviceMismatch, kDtypeMismatch, kShapeMismatch; kInvalidArgument for an epsilon that is negative
// or not finite; kUnsupported if the device's plugin fuses nothing.
#ifndef PATCHBAY_NORMALIZATION_H_
#define PATCHBAY_NORMALIZATION_H_

#include <optional>

#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/shape.h"
#include "patchbay/tensor.h"

namespace patchbay {

struct BatchNormOptions {
  /// Running statistics of each channel, [channels], of the input's dtype, or f32 if that is f16 or
  /// bf16. Both or none. They get no gradient.
  Tensor running_mean = {}, running_var = {};
  Tensor weight = {}, bias = {};  // [channels]
  /// True: normalizes by the statistics of the batch, and moves the running ones towards them.
  /// False: normalizes by the running ones, which must be given.
  bool training = false;
  /// running = (1 - momentum) running + momentum batch, in place. From 0 to 1.
  double momentum = 0.1;
  double epsilon = 1e-5;
};
/// (input - mean) / sqrt(variance + epsilon) weight + bias, with one mean and variance for each
/// channel (Ioffe and Szegedy, Batch Normalization, 2015). `input`: [n, channels, ...]. The running
/// variance is updated with the unbiased one. Errors: kInvalidArgument in training with a single
/// element for each channel, and for a momentum outside of [0, 1].
[[nodiscard]] PATCHBAY_API Tensor batch_norm(const Tensor& input,
                                             const BatchNormOptions& options = {});

/// The formula of batch_norm over the last dimensions, whose extents are `normalized_shape`, the
/// shape of weight and bias too (Ba, Kiros and Hinton, Layer Normalization, 2016).
[[nodiscard]] PATCHBAY_API Tensor layer_norm(const Tensor& input, const Shape& normalized_shape,
                                             const Tensor& weight = {}, const Tensor& bias = {},
                                             double epsilon = 1e-5);

/// batch_norm's formula over groups of channels / num_groups neighbouring channels of each sample
/// (Wu and He, Group Normalization, 2018). `input`: [n, channels, ...]; weight and bias:
/// [channels]. Errors: kInvalidArgument unless num_groups divides the channels.
[[nodiscard]] PATCHBAY_API Tensor group_norm(const Tensor& input, Index num_groups,
                                             const Tensor& weight = {}, const Tensor& bias = {},
                                             double epsilon = 1e-5);

/// input / sqrt(mean input^2 + epsilon) weight over the last dimensions, as layer_norm (Zhang and
/// Sennrich, Root Mean Square Layer Normalization, 2019). Unless given, epsilon is the distance
/// from 1 to the next number of the dtype that it computes in, f32 or f64.
[[nodiscard]] PATCHBAY_API Tensor rms_norm(const Tensor& input, const Shape& normalized_shape,
                                           const Tensor& weight = {},
                                           std::optional<double> epsilon = {});

}  // namespace patchbay

#endif  // PATCHBAY_NORMALIZATION_H_

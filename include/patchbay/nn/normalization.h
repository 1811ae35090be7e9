// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Normalizations as modules. Formulas, shapes and errors: normalization.h of the tensors.
#ifndef PATCHBAY_NN_NORMALIZATION_H_
#define PATCHBAY_NN_NORMALIZATION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/nn/module.h"
#include "patchbay/normalization.h"
#include "patchbay/shape.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

struct BatchNormLayerOptions {
  double epsilon = 1e-5;
  double momentum = 0.1;
  /// Whether there are `weight` and `bias`.
  bool affine = true;
  /// Whether evaluation uses running statistics; else those of the batch.
  bool track_running = true;
  TensorOptions tensor = {};
};
/// x: [n, channels, ...]. Parameters, [channels]: `weight`, 1, and `bias`, 0. Buffers:
/// `running_mean`, 0, and `running_var`, 1.
class PATCHBAY_API BatchNorm : public Module {
 public:
  /// Errors: kInvalidArgument for a negative size.
  explicit BatchNorm(Index channels, const BatchNormLayerOptions& options = {});
  Tensor forward(const Tensor& x) override;
  void members(Members& each) override;
  std::string details() const override;

  Parameter weight, bias, running_mean, running_var;

 protected:
  explicit BatchNorm(const BatchNormLayerOptions& options);
  /// Makes the parameters that are missing for a lazy layer's first input. Errors: kShapeMismatch
  /// if those that were loaded do not fit it.
  void learn(const Tensor& x);

 private:
  void create(std::int64_t channels);

  std::int64_t channels_ = -1;
  BatchNormLayerOptions options_;
};
/// BatchNorm that learns `channels` from the first input. Parameters that were loaded before stay.
class PATCHBAY_API LazyBatchNorm : public BatchNorm {
 public:
  explicit LazyBatchNorm(const BatchNormLayerOptions& options = {}) : BatchNorm(options) {}
  Tensor forward(const Tensor& x) override;
};
/// By the names of PyTorch: the number of dimensions behind the channels is free.
using BatchNorm1d = BatchNorm;
using BatchNorm2d = BatchNorm;
using LazyBatchNorm1d = LazyBatchNorm;
using LazyBatchNorm2d = LazyBatchNorm;

struct NormLayerOptions {
  double epsilon = 1e-5;
  bool affine = true;
  bool bias = true;
  TensorOptions tensor = {};
};
/// x: [..., shape]. Parameters, of `shape`: `weight`, 1, and `bias`, 0.
class PATCHBAY_API LayerNorm : public Module {
 public:
  explicit LayerNorm(const Shape& shape, const NormLayerOptions& options = {});
  Tensor forward(const Tensor& x) override;
  void members(Members& each) override;
  std::string details() const override;

  Parameter weight, bias;

 private:
  Shape shape_;
  NormLayerOptions options_;
};

/// x: [n, channels, ...]. Parameters, [channels]: `weight`, 1, and `bias`, 0.
class PATCHBAY_API GroupNorm : public Module {
 public:
  /// Errors: kInvalidArgument unless num_groups divides the channels.
  GroupNorm(Index num_groups, Index channels, const NormLayerOptions& options = {})
      : GroupNorm("GroupNorm", num_groups, channels, options) {}
  Tensor forward(const Tensor& x) override;
  void members(Members& each) override;
  std::string details() const override;

  Parameter weight, bias;

 protected:
  GroupNorm(const char* layer, Index num_groups, Index channels, const NormLayerOptions& options);
  std::int64_t channels() const { return channels_; }

 private:
  std::int64_t num_groups_, channels_;
  NormLayerOptions options_;
};

struct InstanceNormLayerOptions {
  double epsilon = 1e-5;
  /// Whether there are `weight` and `bias`.
  bool affine = false;
  TensorOptions tensor = {};
};
/// One mean and variance for each sample and channel. x: [n, channels, ...]. Parameters,
/// [channels]: `weight`, 1, and `bias`, 0.
class PATCHBAY_API InstanceNorm : public GroupNorm {
 public:
  explicit InstanceNorm(Index channels, const InstanceNormLayerOptions& options = {})
      : GroupNorm(
            "InstanceNorm", channels, channels,
            {.epsilon = options.epsilon, .affine = options.affine, .tensor = options.tensor}) {}
  std::string details() const override;
};
using InstanceNorm1d = InstanceNorm;
using InstanceNorm2d = InstanceNorm;

struct RmsNormLayerOptions {
  /// The default of rms_norm unless given.
  std::optional<double> epsilon = {};
  bool affine = true;
  TensorOptions tensor = {};
};
/// x: [..., shape]. Parameter, of `shape`: `weight`, 1.
class PATCHBAY_API RMSNorm : public Module {
 public:
  explicit RMSNorm(const Shape& shape, const RmsNormLayerOptions& options = {});
  Tensor forward(const Tensor& x) override;
  void members(Members& each) override;
  std::string details() const override;

  Parameter weight;

 private:
  Shape shape_;
  RmsNormLayerOptions options_;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_NORMALIZATION_H_

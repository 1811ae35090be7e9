// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/loss.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "patchbay/ops.h"

#include "core/base/error.h"

namespace patchbay::nn {
namespace {

Parameter buffer_of(const Tensor& weight) {
  return weight.defined() ? Parameter(weight, /*is_trained=*/false) : Parameter();
}

void add(Members& each, std::string_view name, Parameter& weight) {
  if (weight.defined()) each.buffer(name, weight);
}

/// Buffers stay f32 where a module is cast to 16 bits.
Tensor weight_for(const Tensor& input, const Parameter& weight) {
  return weight.defined() ? weight->cast(input.dtype()) : Tensor();
}

/// Whether both are f16, or both bf16: a loss is computed in f32, and rounded once. False for
/// operands that are an error, which is to name them as they are.
bool are_small(const Tensor& a, const Tensor& b) {
  return a.defined() && b.defined() && a.dtype() == b.dtype() && is_floating(a.dtype()) &&
         size_bytes(a.dtype()) < 4 && a.shape() == b.shape() && a.device() == b.device();
}

/// Such a beta may be multiplied by differences that count beside it.
constexpr double kLeastUnscaled = 1e-18;

}  // namespace

Tensor Loss::operator()(const Tensor& input, const Tensor& target) {
  Tensor result;
  call(input, [&] { result = compute(input, target); });
  return result;
}

Tensor MSELoss::compute(const Tensor& input, const Tensor& target) const {
  return mse_loss(input, target, reduction_);
}

Tensor L1Loss::compute(const Tensor& input, const Tensor& target) const {
  return l1_loss(input, target, reduction_);
}

HuberLoss::HuberLoss(double delta, LossReduction reduction) : delta_(delta), reduction_(reduction) {
  if (delta > 0) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[HuberLoss] a wrong delta: expected a number > 0, got {}. Use L1Loss or MSELoss "
              "for one of its parts alone.",
              delta);
}

Tensor HuberLoss::compute(const Tensor& input, const Tensor& target) const {
  return huber_loss(input, target, delta_, reduction_);
}

SmoothL1Loss::SmoothL1Loss(double beta, LossReduction reduction)
    : beta_(beta), reduction_(reduction) {
  if (beta >= 0 && std::isfinite(beta)) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[SmoothL1Loss] a wrong beta: expected a finite number >= 0, got {}. Choose the "
              "difference from which on the loss is linear.",
              beta);
}

Tensor SmoothL1Loss::compute(const Tensor& input, const Tensor& target) const {
  if (beta_ == 0) return l1_loss(input, target, reduction_);
  if (are_small(input, target)) {
    return compute(input.cast(DType::f32), target.cast(DType::f32)).cast(input.dtype());
  }
  if (beta_ >= kLeastUnscaled && beta_ <= 1 / kLeastUnscaled) {
    return huber_loss(input, target, beta_, reduction_) / beta_;
  }
  // beta |d| may be too small for f32. So all lengths are multiplied by a power of two, which makes
  // the product about |d|.
  const double scale = std::ldexp(1, -std::ilogb(beta_) / 2);
  if (scale > std::numeric_limits<float>::max() && input.defined() && input.dtype() != DType::f64) {
    return l1_loss(input, target, reduction_);  // in f32, beta is 0
  }
  return huber_loss(input * scale, target * scale, beta_ * scale, reduction_) /
         (beta_ * scale * scale);
}

BCEWithLogitsLoss::BCEWithLogitsLoss(const BinaryCrossEntropyOptions& options)
    : weight(buffer_of(options.weight)),
      pos_weight(buffer_of(options.positive_weight)),
      reduction_(options.reduction) {}

Tensor BCEWithLogitsLoss::compute(const Tensor& input, const Tensor& target) const {
  return binary_cross_entropy_with_logits(input, target,
                                          {.weight = weight_for(input, weight),
                                           .positive_weight = weight_for(input, pos_weight),
                                           .reduction = reduction_});
}

void BCEWithLogitsLoss::members(Members& each) {
  add(each, "weight", weight);
  add(each, "pos_weight", pos_weight);
}

NLLLoss::NLLLoss(const NllOptions& options)
    : weight(buffer_of(options.weight)),
      ignored_index_(options.ignored_index),
      reduction_(options.reduction) {}

Tensor NLLLoss::compute(const Tensor& input, const Tensor& target) const {
  return nll_loss(input, target,
                  {.weight = weight_for(input, weight),
                   .ignored_index = ignored_index_,
                   .reduction = reduction_});
}

void NLLLoss::members(Members& each) { add(each, "weight", weight); }

CrossEntropyLoss::CrossEntropyLoss(const CrossEntropyOptions& options)
    : weight(buffer_of(options.weight)), options_(options) {
  options_.weight = Tensor();
}

Tensor CrossEntropyLoss::compute(const Tensor& input, const Tensor& target) const {
  CrossEntropyOptions options = options_;
  options.weight = weight_for(input, weight);
  return cross_entropy(input, target, options);
}

void CrossEntropyLoss::members(Members& each) { add(each, "weight", weight); }

}  // namespace patchbay::nn

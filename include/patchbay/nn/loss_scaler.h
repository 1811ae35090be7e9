// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_NN_LOSS_SCALER_H_
#define PATCHBAY_NN_LOSS_SCALER_H_

#include <cstdint>

#include "patchbay/export.h"
#include "patchbay/nn/optimizer.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

struct LossScalerOptions {
  double scale = 65536;  // the first one
  double growth = 2, backoff = 0.5;
  std::int64_t growth_interval = 2000;  // steps without an overflow before the scale grows
};

/// Scales losses so that small gradients of f16 do not become 0, as large as they may be without
/// overflow (Micikevicius et al., Mixed Precision Training, 2018). bf16 has the range of f32 and
/// needs none.
///
///   scaler.scale(cross_entropy(net(x).cast(DType::f32), y)).backward();
///   scaler.step(optimizer);
///
/// To clip gradients in between: clip_grad_norm(parameters, most * scaler.scale()).
class PATCHBAY_API LossScaler {
 public:
  /// The scale stays where f32 can hold it and its reciprocal. Errors: kInvalidArgument unless the
  /// first one is there, growth >= 1, 0 < backoff < 1 and interval >= 1.
  explicit LossScaler(const LossScalerOptions& options = {});

  double scale() const { return scale_; }
  /// The loss times the scale. Errors: kInvalidArgument for an undefined loss; kDtypeMismatch
  /// unless it is f32 or f64, because f16 would overflow.
  Tensor scale(const Tensor& loss) const;
  /// If all gradients are finite, optimizer.step(1 / scale) and true; else false, and the scale
  /// shrinks. Fetches one number from each device of the parameters, in a counted copy; blocks.
  bool step(Optimizer& optimizer);

  /// For checkpoints.
  struct State {
    double scale = 0;
    std::int64_t num_good_steps = 0;  // since the scale changed
  };
  State state() const { return {scale_, num_good_steps_}; }
  /// Errors: kInvalidArgument for a scale as of the constructor, and for steps below 0.
  void set_state(const State& state);

 private:
  LossScalerOptions options_;
  double scale_;
  std::int64_t num_good_steps_ = 0;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_LOSS_SCALER_H_

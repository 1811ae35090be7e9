// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_NN_LOSS_SCALER_H_
#define PATCHBAY_NN_LOSS_SCALER_H_

#include <cstdint>
#include <memory>
#include <type_traits>

#include "patchbay/export.h"
#include "patchbay/nn/optimizer.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

struct LossScalerOptions {
  double scale = 65536;  // the first one
  double growth = 2, backoff = 0.5;
  std::int64_t growth_interval = 2000;  // steps without an overflow before the scale grows
};

/// The scale of a LossScaler, times a factor. A number; once a step was recorded, an element of a
/// device, which replays change.
class PATCHBAY_API LossScale {
 public:
  /// Fetches an element of a device, in a counted copy; blocks. Errors: kInvalidArgument for an
  /// element during a recording.
  operator double() const;  // NOLINT(google-explicit-constructor): a number

  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  friend LossScale operator*(T factor, const LossScale& scale) {
    return scale.times(static_cast<double>(factor));
  }
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  friend LossScale operator*(const LossScale& scale, T factor) {
    return scale.times(static_cast<double>(factor));
  }

  double factor() const { return factor_; }
  /// A 0-d tensor on the device, f64, or f32 without f64; undefined for a number. Queued.
  Tensor on(const Device& device) const;

 private:
  friend class LossScaler;
  LossScale(double scale, Tensor element) : scale_(scale), element_(std::move(element)) {}
  LossScale times(double factor) const;

  double scale_, factor_ = 1;
  Tensor element_;
};

/// What LossScaler::step did: converts to true if the optimiser made its step, to false if the
/// gradients were not finite. After a recording it tells of the newest replay, and fetches the
/// answer in a counted copy; blocks. Errors: kInvalidArgument during the recording, and before the
/// first replay.
class PATCHBAY_API ScaledStep {
 public:
  operator bool() const;  // NOLINT(google-explicit-constructor): if (scaler.step(optimizer))

 private:
  friend class LossScaler;
  explicit ScaledStep(bool is_made) : is_made_(is_made) {}
  explicit ScaledStep(Tensor element) : element_(std::move(element)) {}

  bool is_made_ = false;
  Tensor element_;
};

/// Scales losses so that small gradients of f16 do not become 0, as large as they may be without
/// overflow (Micikevicius et al., Mixed Precision Training, 2018). bf16 has the range of f32 and
/// needs none.
///
///   scaler.scale(cross_entropy(net(x).cast(DType::f32), y)).backward();
///   scaler.step(optimizer);
///
/// To clip gradients in between: clip_grad_norm(parameters, most * scaler.scale()). In a recording
/// the device decides whether a step is made, and changes the scale.
class PATCHBAY_API LossScaler {
 public:
  /// The scale stays where f32 can hold it and its reciprocal. Errors: kInvalidArgument unless the
  /// first one is there, growth >= 1, 0 < backoff < 1 and interval >= 1.
  explicit LossScaler(const LossScalerOptions& options = {});
  ~LossScaler();
  LossScaler(LossScaler&&) noexcept;
  LossScaler& operator=(LossScaler&&) noexcept;

  LossScale scale() const;
  /// The loss times the scale. Errors: kInvalidArgument for an undefined loss; kDtypeMismatch
  /// unless it is f32 or f64, because f16 would overflow.
  Tensor scale(const Tensor& loss);
  /// If all gradients are finite, optimizer.step(1 / scale) and true; else false, and the scale
  /// shrinks. Fetches one number from each device of the parameters, in a counted copy; blocks.
  /// From the first recording on the scale is on the device of the loss or gradient that was met
  /// first; losses and gradients on other devices need copies of one number.
  ScaledStep step(Optimizer& optimizer);

  /// For checkpoints. After a recording, fetches two numbers.
  struct State {
    double scale = 0;
    std::int64_t num_good_steps = 0;  // since the scale changed
  };
  State state() const;
  /// Errors: kInvalidArgument for a scale as of the constructor, and for steps below 0.
  void set_state(const State& state);

 private:
  struct Recorded;
  bool uses_elements() const;
  Recorded& make_elements(const Device& device);
  ScaledStep step_by_elements(Optimizer& optimizer);

  LossScalerOptions options_;
  double scale_;
  std::int64_t num_good_steps_ = 0;
  std::unique_ptr<Recorded> recorded_;  // null before the first recording
};

/// Limits the norm of gradients of a scaled loss: clip_grad_norm(parameters, most *
/// scaler.scale()).
PATCHBAY_API Tensor clip_grad_norm(std::span<const Parameter> parameters, const LossScale& most);

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_LOSS_SCALER_H_

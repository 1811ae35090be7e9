// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Losses as modules, with PyTorch's names: `loss(net(x), y)`. Formulas, shapes, dtypes and errors:
// functional.h of the tensors. Weights are buffers, so that they move with the module.
#ifndef PATCHBAY_NN_LOSS_H_
#define PATCHBAY_NN_LOSS_H_

#include <cstdint>

#include "patchbay/export.h"
#include "patchbay/functional.h"
#include "patchbay/nn/module.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

/// A module of an input and its target.
class PATCHBAY_API Loss : public Module {
 public:
  using Module::operator();
  Tensor operator()(const Tensor& input, const Tensor& target);

 protected:
  virtual Tensor compute(const Tensor& input, const Tensor& target) const = 0;
};

/// mse_loss.
class PATCHBAY_API MSELoss : public Loss {
 public:
  explicit MSELoss(LossReduction reduction = LossReduction::kMean) : reduction_(reduction) {}

 private:
  Tensor compute(const Tensor& input, const Tensor& target) const override;

  LossReduction reduction_;
};

/// l1_loss.
class PATCHBAY_API L1Loss : public Loss {
 public:
  explicit L1Loss(LossReduction reduction = LossReduction::kMean) : reduction_(reduction) {}

 private:
  Tensor compute(const Tensor& input, const Tensor& target) const override;

  LossReduction reduction_;
};

/// huber_loss.
class PATCHBAY_API HuberLoss : public Loss {
 public:
  /// Errors: kInvalidArgument unless delta > 0.
  explicit HuberLoss(double delta = 1, LossReduction reduction = LossReduction::kMean);

 private:
  Tensor compute(const Tensor& input, const Tensor& target) const override;

  double delta_;
  LossReduction reduction_;
};

/// huber_loss / beta, and l1_loss for a beta of 0 (Girshick, Fast R-CNN, 2015).
class PATCHBAY_API SmoothL1Loss : public Loss {
 public:
  /// Errors: kInvalidArgument unless beta is finite and >= 0.
  explicit SmoothL1Loss(double beta = 1, LossReduction reduction = LossReduction::kMean);

 private:
  Tensor compute(const Tensor& input, const Tensor& target) const override;

  double beta_;
  LossReduction reduction_;
};

/// binary_cross_entropy_with_logits. Buffers, where given: `weight` and `pos_weight`.
class PATCHBAY_API BCEWithLogitsLoss : public Loss {
 public:
  explicit BCEWithLogitsLoss(const BinaryCrossEntropyOptions& options = {});
  void members(Members& each) override;

  Parameter weight, pos_weight;

 private:
  Tensor compute(const Tensor& input, const Tensor& target) const override;

  LossReduction reduction_;
};

/// nll_loss. Buffer, where given: `weight`, [classes].
class PATCHBAY_API NLLLoss : public Loss {
 public:
  explicit NLLLoss(const NllOptions& options = {});
  void members(Members& each) override;

  Parameter weight;

 private:
  Tensor compute(const Tensor& input, const Tensor& target) const override;

  std::int64_t ignored_index_;
  LossReduction reduction_;
};

/// cross_entropy. Buffer, where given: `weight`, [classes].
class PATCHBAY_API CrossEntropyLoss : public Loss {
 public:
  explicit CrossEntropyLoss(const CrossEntropyOptions& options = {});
  void members(Members& each) override;

  Parameter weight;

 private:
  Tensor compute(const Tensor& input, const Tensor& target) const override;

  CrossEntropyOptions options_;  // without the weight
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_LOSS_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Functions of neural networks, made from the operations of ops.h: docs/functional.md. Devices,
// errors and queueing are as there. Gradients flow to all operands but indices and masks; those of
// the losses and of softmax can be differentiated again. f16 and bf16 are computed in f32 and
// rounded at the end.
#ifndef PATCHBAY_FUNCTIONAL_H_
#define PATCHBAY_FUNCTIONAL_H_

#include <cstdint>
#include <optional>

#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/ops.h"
#include "patchbay/random.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// exp(a) / sum exp(a) along `dim`, computed from a - max a; 0 and -1 are dimensions of a tensor of
/// rank 0 too. Dtypes: floats. NaN where a slice has a NaN or +infinity, or -infinity alone.
/// Errors: kInvalidArgument for a dimension that does not exist.
[[nodiscard]] PATCHBAY_API Tensor softmax(const Tensor& a, Dim dim);
/// log(softmax(a)), accurate where softmax is 0. Dtypes and errors: as softmax.
[[nodiscard]] PATCHBAY_API Tensor log_softmax(const Tensor& a, Dim dim);
/// log(sum exp(a)) along the axes, computed from a - max a; -infinity of no elements. Dtypes:
/// floats. Errors: as sum.
[[nodiscard]] PATCHBAY_API Tensor logsumexp(const Tensor& a, const Axes& axes = {},
                                            bool keep = false);

/// a with elements set to 0 with probability p and the others divided by 1 - p, from a mask of
/// dropout_mask; `a` itself if p is 0 or `training` is false. Dtypes: floats. Errors:
/// kInvalidArgument unless 0 <= p <= 1.
[[nodiscard]] PATCHBAY_API Tensor dropout(const Tensor& a, double p = 0.5, bool training = true,
                                          const std::optional<Generator>& generator = {});

/// What `linear` applies to its result.
enum class Activation : std::uint8_t { kNone, kRelu, kGelu, kSigmoid, kTanh };
/// activation(x weight^T + bias): linear of ops.h, with bias and activation in one pass after the
/// product. Dtypes: floats. Errors: as there; kUnsupported if the device's plugin fuses nothing.
[[nodiscard]] PATCHBAY_API Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                         Activation activation);

// Losses. `input` and `target` have one shape, unless stated otherwise, one dtype, a float, and one
// device. Errors: kShapeMismatch, kDtypeMismatch, kDeviceMismatch.

/// What a loss makes of its elements. The mean of no elements is NaN.
enum class LossReduction : std::uint8_t { kNone, kMean, kSum };

/// (input - target)^2.
[[nodiscard]] PATCHBAY_API Tensor mse_loss(const Tensor& input, const Tensor& target,
                                           LossReduction reduction = LossReduction::kMean);
/// |input - target|.
[[nodiscard]] PATCHBAY_API Tensor l1_loss(const Tensor& input, const Tensor& target,
                                          LossReduction reduction = LossReduction::kMean);
/// With d = |input - target|: d^2 / 2 where d <= delta, else delta (d - delta / 2) (Huber, Robust
/// Estimation of a Location Parameter, 1964). Errors: kInvalidArgument unless delta > 0.
[[nodiscard]] PATCHBAY_API Tensor huber_loss(const Tensor& input, const Tensor& target,
                                             double delta = 1,
                                             LossReduction reduction = LossReduction::kMean);

struct BinaryCrossEntropyOptions {
  /// Multiplies each element's loss; broadcasts to the input's shape. Undefined: 1.
  Tensor weight = {};
  /// Multiplies the part of the targets that are 1; broadcasts likewise. Undefined: 1.
  Tensor positive_weight = {};
  LossReduction reduction = LossReduction::kMean;
};
/// -(target log s + (1 - target) log(1 - s)) with s = sigmoid(input), without computing s. For a
/// target of 0 or 1 only one of the logarithms counts, also if the input is infinite. Errors: also
/// kUnsupported if the device's plugin fuses nothing.
[[nodiscard]] PATCHBAY_API Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target, const BinaryCrossEntropyOptions& options = {});

struct NllOptions {
  /// A weight for each class, [classes], of the input's dtype; gets no gradient. Undefined: 1.
  Tensor weight = {};
  /// Targets with this value, which need not be a class, have the loss 0 and the gradient 0.
  std::int64_t ignored_index = -100;
  LossReduction reduction = LossReduction::kMean;
};
/// -weight[target] input[.., target, ..]. `input`: [classes] or [n, classes, ...], logarithms of
/// probabilities; `target`: indices (i64, i32) of its shape without the classes. kMean divides by
/// the sum of the weights of the targets that count. Errors: kShapeMismatch; an index that is no
/// class is treated as indexing.h says.
[[nodiscard]] PATCHBAY_API Tensor nll_loss(const Tensor& input, const Tensor& target,
                                           const NllOptions& options = {});

struct CrossEntropyOptions {
  Tensor weight = {};  // for each class: see NllOptions
  /// Indices of this value have the loss 0, and the gradient 0, or NaN where their softmax is NaN.
  std::int64_t ignored_index = -100;
  /// The part of each target that is spread evenly over the classes, from 0 to 1 (Szegedy et al.,
  /// Rethinking the Inception Architecture for Computer Vision, 2016).
  double label_smoothing = 0;
  LossReduction reduction = LossReduction::kMean;
};
/// nll_loss of log_softmax(input) along the classes. `target`: indices as there, or probabilities
/// of the input's shape and dtype, for which kMean divides by the number of samples. Errors: as
/// there; kInvalidArgument for a smoothing outside of [0, 1], and for probabilities with an
/// `ignored_index` that is not the default.
[[nodiscard]] PATCHBAY_API Tensor cross_entropy(const Tensor& input, const Tensor& target,
                                                const CrossEntropyOptions& options = {});

}  // namespace patchbay

#endif  // PATCHBAY_FUNCTIONAL_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Launches the kernels of normalization, and makes its statistics. The kernels see an input as [s,
// g, e, o]: statistics for each [s, g], in batch_norm for each g, and weights for each [g, e].
#ifndef PATCHBAY_CORE_TENSOR_FUNCTIONAL_NORMALIZATION_KERNELS_H_
#define PATCHBAY_CORE_TENSOR_FUNCTIONAL_NORMALIZATION_KERNELS_H_

#include <array>
#include <cstdint>

#include "patchbay/ops.h"
#include "patchbay/tensor_or_scalar.h"

namespace patchbay::tensor {

/// An input as the kernels see it.
struct Extents {
  std::int64_t s = 0, g = 0, e = 0, o = 0;

  Shape whole() const { return {s, g, e, o}; }
  Shape weights() const { return {g, e}; }
};

struct Method {
  const char* name;
  Axes axes;  // of the statistics
  double epsilon;
  Extents extents;
  bool is_centered = true;  // subtracts the mean
  bool is_batch = false;

  /// Whether there are elements. Short runs of a batch are faster by single operations.
  bool has_kernel() const {
    constexpr std::int64_t kShortRun = 16;
    return extents.s * extents.g * extents.e * extents.o != 0 &&
           !(is_batch && extents.o < kShortRun);
  }
  Shape statistics() const { return {is_batch ? 1 : extents.s, extents.g}; }
};

/// They broadcast to the input.
struct Statistics {
  TensorOrScalar mean = 0;
  Tensor deviations;  // the input without its mean
  Tensor variance;    // as normalize.1 gives it: a negative one is a deviation
  Tensor factor;      // 1 / sqrt(variance + epsilon)
};

/// The result. Also gives mean and variance, which broadcast to x. Weight and bias may be
/// undefined.
Tensor launch_forward(const Method& method, const Tensor& x, const Tensor& weight,
                      const Tensor& bias, Statistics& statistics);
/// The sums for weight and bias, [g, e]. The operands are contiguous.
std::array<Tensor, 2> launch_weights(const Method& method, const Tensor& grad, const Tensor& x,
                                     const Statistics& statistics);
/// The gradient of x. `grad` and `x` are contiguous.
Tensor launch_input(const Method& method, const Tensor& grad, const Tensor& x,
                    const Statistics& statistics, const Tensor& weight);

// The statistics of normalization by single operations, and what is made of those of kernels. No
// step leaves the range of the dtype where the factor does not: deviations are made by moment.1,
// which sums again, and a variance that the dtype can't hold stands for its root.

/// 1 / sqrt(variance + epsilon) of a variance as kernels give it: a negative one is a deviation,
/// whose square would leave the range of the dtype.
Tensor factor_of(const TensorOrScalar& variance, double epsilon);

/// Those that are recorded are made of squares, because a root has no derivative at 0; they have no
/// variance.
Statistics statistics_of(const Method& method, const Tensor& x);

/// Moves a running statistic towards that of a batch, times a factor, in place: running becomes
/// (1 - momentum) running + momentum factor batch. Of variances, a negative one is a deviation, and
/// its square counts.
void move_towards(const Tensor& running, const Tensor& batch, double momentum, double factor,
                  bool is_variance);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUNCTIONAL_NORMALIZATION_KERNELS_H_

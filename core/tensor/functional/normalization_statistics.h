// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The statistics of normalization by single operations, and what is made of those of kernels. No
// step leaves the range of the dtype where the factor does not: deviations are made by moment.1,
// which sums again, and a variance that the dtype can't hold stands for its root.
#ifndef PATCHBAY_CORE_TENSOR_FUNCTIONAL_NORMALIZATION_STATISTICS_H_
#define PATCHBAY_CORE_TENSOR_FUNCTIONAL_NORMALIZATION_STATISTICS_H_

#include "patchbay/tensor_or_scalar.h"

#include "core/tensor/functional/normalization_kernels.h"

namespace patchbay::tensor {

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

#endif  // PATCHBAY_CORE_TENSOR_FUNCTIONAL_NORMALIZATION_STATISTICS_H_

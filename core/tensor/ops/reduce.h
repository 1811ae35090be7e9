// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_TENSOR_OPS_REDUCE_H_
#define PATCHBAY_CORE_TENSOR_OPS_REDUCE_H_

#include "patchbay/ops.h"

#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

/// Reduces `a` by `op` over `axes`. Errors name `operation`, which the user called.
Tensor reduce(const Operator& op, const char* operation, const Tensor& a, const Axes& axes,
              bool keep);
/// The sum of a^order / divisor, or the square root of that. What leaves the range of the dtype on
/// the way is summed again, so that only the result may leave it.
struct Moment {
  int order = 1;  // 1 or 2
  bool has_root = false;
  double divisor = 1;
};
/// Of f32 or f64. Records no gradient. Errors name `operation`.
Tensor moment(const char* operation, const Tensor& a, const Axes& axes, bool keep,
              const Moment& what);
/// That of all elements, into `out`, which has one element and the dtype and device of a.
void moment_into(const char* operation, const Tensor& out, const Tensor& a, const Moment& what);
/// The result's shape with extent 1 where it was reduced, so that it broadcasts to a's.
Shape kept_shape(const char* operation, const Tensor& a, const Axes& axes);
/// The number of elements that make one element of the result. Errors as reduce.
std::int64_t num_reduced(const char* operation, const Tensor& a, const Axes& axes);
/// What the sum of squared deviations is divided by: NaN if there are too few elements.
double divisor_of(std::int64_t count, int correction);
/// The variance. Errors and the record name `operation`.
Tensor var_of(const char* operation, const Tensor& a, const Axes& axes, int correction, bool keep);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_OPS_REDUCE_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Variance by two passes, corrected: Chan, Golub and LeVeque, Algorithms for Computing the Sample
// Variance, 1983.
#include <cmath>
#include <limits>

#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/ops/reduce.h"

namespace patchbay {

namespace {

/// The variance of f32 or f64, over at least one element. `kept_mean` broadcasts to `a`.
Tensor variance(const Tensor& a, const Tensor& kept_mean, const Axes& axes, std::int64_t count,
                double divisor, bool keep) {
  const tensor::Recording recording(false);
  const Tensor deviations = a - kept_mean;
  Tensor result = tensor::reduce(tensor::op::sum_squares, "var", deviations, axes, keep);
  // Their sum is 0 except for the rounding of the mean.
  const Tensor rest = tensor::reduce(tensor::op::sum, "var", deviations, axes, keep);
  mul_out(rest, rest, rest);
  div_out(rest, rest, count);
  // A variance that is too large stays infinite.
  const bool is_f64 = a.dtype() == DType::f64;
  minimum_out(rest, rest,
              is_f64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max());
  sub_out(result, result, rest);
  maximum_out(result, result, 0);  // rounding may go below; a NaN stays
  return div_out(result, result, divisor);
}

}  // namespace

Tensor var(const Tensor& a, const Axes& axes, int correction, bool keep) {
  const tensor::TensorImpl& source = tensor::impl_of("var", a);
  tensor::check_dtype_allowed("var", tensor::kFloats, {"a", source});
  if (tensor::is_small(a.dtype())) {
    return var(a.cast(DType::f32), axes, correction, keep).cast(a.dtype());
  }
  const std::int64_t count = tensor::num_reduced("var", a, axes);
  const double divisor = count > correction ? static_cast<double>(count - correction) : NAN;
  const Tensor kept_mean = mean(a.detach(), axes, /*keep=*/true);
  Tensor result = variance(a.detach(), kept_mean, axes, count, divisor, keep);
  if (!tensor::needs_grad(a)) return result;
  tensor::record("var", result, a,
                 [axes, divisor, kept = kept_mean.shape(), values = tensor::Saved("a", a)](
                     const Tensor& grad, const tensor::Node& node) {
                   const Tensor given = values.get(node);
                   const Tensor deviations = given - mean(given, axes, /*keep=*/true);
                   return deviations * (grad.reshape(kept) * (2 / divisor));
                 });
  return result;
}

}  // namespace patchbay

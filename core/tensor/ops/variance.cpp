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
Tensor variance(const char* operation, const Tensor& a, const Tensor& kept_mean, const Axes& axes,
                std::int64_t count, double divisor, bool keep) {
  const tensor::Recording recording(false);
  const Tensor deviations = a - kept_mean;
  Tensor result =
      tensor::moment(operation, deviations, axes, keep, {.order = 2, .divisor = divisor});
  // Their mean is 0 except for the rounding of the mean.
  const Tensor rest =
      tensor::moment(operation, deviations, axes, keep, {.divisor = static_cast<double>(count)});
  square_out(rest, rest);
  mul_out(rest, rest, static_cast<double>(count) / divisor);
  // A variance that is too large stays infinite.
  const bool is_f64 = a.dtype() == DType::f64;
  minimum_out(rest, rest,
              is_f64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max());
  sub_out(result, result, rest);
  return maximum_out(result, result, 0);  // rounding may go below; a NaN stays
}

}  // namespace

namespace tensor {

double divisor_of(std::int64_t count, int correction) {
  return count > correction ? static_cast<double>(count - correction) : NAN;
}

Tensor var_of(const char* operation, const Tensor& a, const Axes& axes, int correction, bool keep) {
  const TensorImpl& source = impl_of(operation, a);
  check_dtype_allowed(operation, kFloats, {"a", source});
  const std::int64_t count = num_reduced(operation, a, axes);
  if (is_small(a.dtype())) {
    return var_of(operation, a.cast(DType::f32), axes, correction, keep).cast(a.dtype());
  }
  const double divisor = divisor_of(count, correction);
  const Tensor kept_mean = mean(a.detach(), axes, /*keep=*/true);
  Tensor result = variance(operation, a.detach(), kept_mean, axes, count, divisor, keep);
  if (!needs_grad(a)) return result;
  record(operation, result, a,
         [axes, divisor, kept = kept_mean.shape(), values = Saved("a", a)](const Tensor& grad,
                                                                           const Node& node) {
           const Tensor given = values.get(node);
           const Tensor deviations = given - mean(given, axes, /*keep=*/true);
           return deviations * (grad.reshape(kept) * (2 / divisor));
         });
  return result;
}

}  // namespace tensor

Tensor var(const Tensor& a, const Axes& axes, int correction, bool keep) {
  return tensor::var_of("var", a, axes, correction, keep);
}

}  // namespace patchbay

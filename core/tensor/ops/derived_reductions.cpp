// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reductions with an elementwise step: means, variances, norms, deviations, any and all.
#include <cmath>
#include <cstdint>
#include <limits>

#include "patchbay/complex.h"

#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/ops/reduce.h"
#include "core/tensor/views/sum.h"

namespace patchbay {
namespace {

/// The variance of f32 or f64, over at least one element, by two passes, corrected: Chan, Golub and
/// LeVeque, Algorithms for Computing the Sample Variance, 1983. `kept_mean` broadcasts to `a`.
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
  if (is_complex(source.dtype)) {
    return var_of(operation, real(a), axes, correction, keep) +
           var_of(operation, imag(a), axes, correction, keep);
  }
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

namespace {

void check_floating(const char* operation, const Tensor& a) {
  const tensor::TensorImpl& impl = tensor::operand_of(operation, a);
  tensor::check_dtype_allowed(operation, tensor::kFloats, {"a", impl});
}

Tensor is_not_zero(const char* operation, const Tensor& a) {
  return tensor::impl_of(operation, a).dtype == DType::boolean ? a : ne(a, 0);
}

/// a / root, which is 0 where the root is: it has no derivative there.
Tensor quotients(const Tensor& a, const Tensor& root) {
  const Tensor is_zero = eq(root.detach(), 0);
  return where(is_zero, 0, a / where(is_zero, 1, root));
}

/// The root of the variance of f32 or f64, corrected as `variance` does, but by the root: its
/// square may be too large.
Tensor deviation(const Tensor& a, const Axes& axes, std::int64_t count, double divisor, bool keep) {
  const tensor::Recording recording(false);
  const Tensor deviations = a - mean(a, axes, /*keep=*/true);
  const Tensor result = tensor::moment("stddev", deviations, axes, keep,
                                       {.order = 2, .has_root = true, .divisor = divisor});
  // Their sum is 0 except for the rounding of the mean: 1 - sum^2 / (count divisor result^2).
  const Tensor rest = tensor::moment("stddev", deviations, axes, keep,
                                     {.divisor = std::sqrt(static_cast<double>(count) * divisor)});
  const bool is_f64 = a.dtype() == DType::f64;
  const double least =
      is_f64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  div_out(rest, rest, maximum(result, least));
  square_out(rest, rest);
  sub_out(rest, 1, rest);
  maximum_out(rest, rest, 0);  // rounding may go below; a NaN stays
  sqrt_out(rest, rest);
  return mul_out(result, result, rest);
}

}  // namespace

Tensor mean(const Tensor& a, const Axes& axes, bool keep) {
  if (is_complex(tensor::impl_of("mean", a).dtype)) {
    return tensor::sum_of("mean", a, axes, keep) / tensor::num_reduced("mean", a, axes);
  }
  check_floating("mean", a);
  const std::int64_t count = tensor::num_reduced("mean", a, axes);
  if (tensor::is_small(a.dtype())) return mean(a.cast(DType::f32), axes, keep).cast(a.dtype());
  Tensor result = tensor::moment("mean", a, axes, keep, {.divisor = static_cast<double>(count)});
  if (!tensor::needs_grad(a)) return result;
  tensor::record("mean", result, a,
                 [count, kept = tensor::kept_shape("mean", a, axes), shape = a.shape()](
                     const Tensor& grad, const tensor::Node&) {
                   return (grad / count).reshape(kept).expand(shape);
                 });
  return result;
}

Tensor any(const Tensor& a, const Axes& axes, bool keep) {
  const Tensor holds = is_not_zero("any", a);
  // Of nothing there is no extreme.
  if (tensor::num_reduced("any", a, axes) == 0) return ne(sum(holds, axes, keep), 0);
  return tensor::reduce(tensor::op::max, "any", holds, axes, keep);
}

Tensor all(const Tensor& a, const Axes& axes, bool keep) {
  const Tensor holds = is_not_zero("all", a);
  if (tensor::num_reduced("all", a, axes) == 0) return eq(sum(holds, axes, keep), 0);
  return tensor::reduce(tensor::op::min, "all", holds, axes, keep);
}

Tensor norm(const Tensor& a, double order, const Axes& axes, bool keep) {
  if (is_complex(tensor::impl_of("norm", a).dtype)) return norm(abs(a), order, axes, keep);
  check_floating("norm", a);
  if (order == 1) return tensor::reduce(tensor::op::sum_abs, "norm", a, axes, keep);
  if (order == INFINITY) return tensor::reduce(tensor::op::max_abs, "norm", a, axes, keep);
  if (order != 2) {
    base::raise(ErrorCode::kInvalidArgument,
                "[norm] unknown order: expected 1, 2 or infinity, got {} (a: {}). Use "
                "linalg::vector_norm.",
                order, tensor::describe(*a.impl()));
  }
  if (tensor::is_small(a.dtype())) {
    static_cast<void>(tensor::num_reduced("norm", a, axes));  // its errors show a as it was given
    return norm(a.cast(DType::f32), 2, axes, keep).cast(a.dtype());
  }
  Tensor result = tensor::moment("norm", a, axes, keep, {.order = 2, .has_root = true});
  if (!tensor::needs_grad(a)) return result;
  tensor::record(
      "norm", result, a,
      [kept = tensor::kept_shape("norm", a, axes), values = tensor::Saved("a", a),
       out = tensor::Saved::result(result)](const Tensor& grad, const tensor::Node& node) {
        return grad.reshape(kept) * quotients(values.get(node), out.get(node).reshape(kept));
      });
  return result;
}

Tensor stddev(const Tensor& a, const Axes& axes, int correction, bool keep) {
  if (is_complex(tensor::impl_of("stddev", a).dtype)) return sqrt(var(a, axes, correction, keep));
  check_floating("stddev", a);
  if (tensor::is_small(a.dtype())) {
    static_cast<void>(tensor::num_reduced("stddev", a, axes));  // its errors show a as it was given
    return stddev(a.cast(DType::f32), axes, correction, keep).cast(a.dtype());
  }
  const std::int64_t count = tensor::num_reduced("stddev", a, axes);
  const double divisor = tensor::divisor_of(count, correction);
  Tensor result = deviation(a.detach(), axes, count, divisor, keep);
  if (!tensor::needs_grad(a)) return result;
  tensor::record(
      "stddev", result, a,
      [axes, divisor, kept = tensor::kept_shape("stddev", a, axes), values = tensor::Saved("a", a),
       out = tensor::Saved::result(result)](const Tensor& grad, const tensor::Node& node) {
        const Tensor given = values.get(node);
        const Tensor deviations = given - mean(given, axes, /*keep=*/true);
        return (grad.reshape(kept) / divisor) * quotients(deviations, out.get(node).reshape(kept));
      });
  return result;
}

}  // namespace patchbay

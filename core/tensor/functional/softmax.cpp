// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// softmax and its logarithm. The largest element is subtracted first, so that nothing overflows.
#include <cmath>

#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"
#include "core/tensor/ops/reduce.h"

namespace patchbay {
namespace {

using tensor::Saved;

Axes axis_of(const char* operation, const Tensor& a, int dim) {
  const tensor::TensorImpl& impl = tensor::impl_of(operation, a);
  tensor::check_dtype_allowed(operation, tensor::kFloats, {"a", impl});
  return tensor::resolve_dim(operation, impl, dim);
}

/// A new tensor, without a record.
Tensor shifted(const char* operation, const Tensor& a, const Axes& axes) {
  return a - tensor::reduce(tensor::op::max, operation, a, axes, /*keep=*/true);
}

Tensor total(const char* operation, const Tensor& a, const Axes& axes) {
  return tensor::reduce(tensor::op::sum, operation, a, axes, /*keep=*/true);
}

/// The gradient of y = softmax(a): y (grad - sum y grad).
Tensor softmax_gradient(const Tensor& grad, const Tensor& y, const Axes& axes) {
  const Tensor product = grad * y;
  return product - y * sum(product, axes, /*keep=*/true);
}

Tensor softmax_along(const Tensor& a, const Axes& axes) {
  if (a.num_elements() == 0) return exp(a);
  Tensor result;
  {
    const tensor::Recording recording(false);
    result = shifted("softmax", a, axes);
    exp_out(result, result);
    div_out(result, result, total("softmax", result, axes));
  }
  if (tensor::needs_grad(a)) {
    tensor::record("softmax", result, a,
                   [axes, y = Saved::result(result)](const Tensor& grad, const tensor::Node& node) {
                     return softmax_gradient(grad, y.get(node), axes);
                   });
  }
  return result;
}

Tensor log_softmax_along(const Tensor& a, const Axes& axes) {
  if (a.num_elements() == 0) return exp(a);
  Tensor result;
  {
    const tensor::Recording recording(false);
    result = shifted("log_softmax", a, axes);
    sub_out(result, result, log(total("log_softmax", exp(result), axes)));
  }
  if (tensor::needs_grad(a)) {
    tensor::record("log_softmax", result, a,
                   [axes, y = Saved::result(result)](const Tensor& grad, const tensor::Node& node) {
                     return grad - exp(y.get(node)) * sum(grad, axes, /*keep=*/true);
                   });
  }
  return result;
}

/// 0 for infinite elements, so that a difference with them is not NaN.
Tensor finite_or_zero(const Tensor& a) { return where(eq(abs(a), INFINITY), 0, a); }

Tensor logsumexp_along(const Tensor& a, const Axes& axes, bool keep) {
  if (tensor::num_reduced("logsumexp", a, axes) == 0 || a.num_elements() == 0) {
    return log(tensor::reduce(tensor::op::sum, "logsumexp", exp(a), axes, keep));
  }
  Tensor result;
  Shape kept;
  {
    const tensor::Recording recording(false);
    const Tensor most =
        finite_or_zero(tensor::reduce(tensor::op::max, "logsumexp", a, axes, /*keep=*/true));
    kept = most.shape();
    const Tensor sums = tensor::reduce(tensor::op::sum, "logsumexp", exp(a - most), axes, keep);
    log_out(sums, sums);
    result = add_out(sums, sums, most.reshape(sums.shape()));
  }
  if (tensor::needs_grad(a)) {
    tensor::record("logsumexp", result, a,
                   [kept, values = Saved("a", a), out = Saved::result(result)](
                       const Tensor& grad, const tensor::Node& node) {
                     const Tensor sums = finite_or_zero(out.get(node)).reshape(kept);
                     return grad.reshape(kept) * exp(values.get(node) - sums);
                   });
  }
  return result;
}

}  // namespace

Tensor softmax(const Tensor& a, Dim dim) {
  const Axes axis = axis_of("softmax", a, dim);
  return softmax_along(tensor::computed(a), axis).cast(a.dtype());
}

Tensor log_softmax(const Tensor& a, Dim dim) {
  const Axes axis = axis_of("log_softmax", a, dim);
  return log_softmax_along(tensor::computed(a), axis).cast(a.dtype());
}

Tensor logsumexp(const Tensor& a, const Axes& axes, bool keep) {
  tensor::check_dtype_allowed("logsumexp", tensor::kFloats, {"a", tensor::impl_of("logsumexp", a)});
  return logsumexp_along(tensor::computed(a), axes, keep).cast(a.dtype());
}

}  // namespace patchbay

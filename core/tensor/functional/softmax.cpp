// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// softmax and its logarithm, which have kernels. What they record is differentiated again by single
// operations.
#include <array>
#include <cmath>

#include "patchbay/fuse.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"
#include "core/tensor/ops/reduce.h"

namespace patchbay {
namespace {

using tensor::Saved;

using tensor::computed;

/// softmax, or its logarithm, along one dimension.
struct Call {
  const char* operation;
  int dim;
  bool logarithm;
};

Call checked(const char* operation, const Tensor& a, int dim, bool logarithm) {
  const tensor::TensorImpl& impl = tensor::operand_of(operation, a);
  tensor::check_dtype_allowed(operation, tensor::kFloats, {"a", impl});
  return {operation, tensor::resolve_axis(operation, {"a", impl}, dim), logarithm};
}

/// Launches softmax, or with `y` its adjoint. The operands are contiguous and have elements.
Tensor launched(const Call& call, const Tensor& a, const Tensor& y = {}) {
  const tensor::TensorImpl& impl = *a.impl();
  const Shape shape = tensor::with_axis(impl.shape);
  Shape sizes{1, shape[call.dim], 1};
  for (int dim = 0; dim < call.dim; ++dim) sizes[0] *= shape[dim];
  for (int dim = call.dim + 1; dim < shape.rank(); ++dim) sizes[2] *= shape[dim];
  const Shape strides{sizes[1] * sizes[2], sizes[2], 1};
  Tensor result = tensor::make_empty(call.operation, impl.shape, impl.dtype, impl);
  const std::array<std::uint64_t, 1> attributes = {call.logarithm ? 1U : 0U};
  const tensor::Operator& op = y.defined() ? tensor::op::softmax_input : tensor::op::softmax;
  runtime::KernelState& kernel =
      tensor::prepared(*impl.device().kernels, op, impl.dtype, impl.dtype, 0, attributes);
  tensor::Launch launch;
  launch.tensor(*result.impl(), sizes, strides, PATCHBAY_WRITE);
  launch.tensor(impl, sizes, strides, PATCHBAY_READ);
  if (y.defined()) launch.tensor(*y.impl(), sizes, strides, PATCHBAY_READ);
  launch.run(call.operation, kernel);
  return result;
}

/// y (grad - sum y grad), or grad - exp(y) sum grad.
Tensor gradient(const Call& call, const Tensor& grad, const Tensor& y) {
  if (!tensor::is_recording()) return launched(call, grad.contiguous(), y);
  const Tensor slope = computed(grad), result = computed(y);
  const Tensor terms = call.logarithm ? slope : slope * result;
  const Tensor total = sum(terms, call.dim, /*keep=*/true);
  return (call.logarithm ? slope - exp(result) * total : terms - result * total).cast(y.dtype());
}

Tensor computed_along(const Call& call, const Tensor& a) {
  if (a.num_elements() == 0) return exp(a);
  Tensor result;
  {
    const tensor::Recording recording(false);
    result = launched(call, a.contiguous());
  }
  if (tensor::needs_grad(a)) {
    tensor::record(call.operation, result, a,
                   [call, y = Saved::result(result)](const Tensor& grad, const tensor::Node& node) {
                     return gradient(call, grad, y.get(node));
                   });
  }
  return result;
}

/// 0 for infinite elements, so that a difference with them is not NaN.
Tensor finite_or_zero(const Tensor& a) { return where(eq(abs(a), INFINITY), 0, a); }

/// exp(a - b)
Tensor exp_of(const Tensor& a, const Tensor& b) {
  static const auto& difference = *new auto(
      fuse([](const Expression& x, const Expression& y) { return exp(x - y); }, "logsumexp"));
  return difference(a, b);
}

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
    const Tensor sums = tensor::reduce(tensor::op::sum, "logsumexp", exp_of(a, most), axes, keep);
    log_out(sums, sums);
    result = add_out(sums, sums, most.reshape(sums.shape()));
  }
  if (tensor::needs_grad(a)) {
    tensor::record("logsumexp", result, a,
                   [kept, values = Saved("a", a), out = Saved::result(result)](
                       const Tensor& grad, const tensor::Node& node) {
                     // Without an element above -infinity all derivatives are exp(-infinity).
                     const Tensor all = out.get(node);
                     const Tensor sums = where(eq(all, -INFINITY), 0, all).reshape(kept);
                     return grad.reshape(kept) * exp_of(values.get(node), sums);
                   });
  }
  return result;
}

}  // namespace

Tensor softmax(const Tensor& a, Dim dim) {
  return computed_along(checked("softmax", a, dim, false), a);
}

Tensor log_softmax(const Tensor& a, Dim dim) {
  return computed_along(checked("log_softmax", a, dim, true), a);
}

Tensor logsumexp(const Tensor& a, const Axes& axes, bool keep) {
  tensor::check_dtype_allowed("logsumexp", tensor::kFloats,
                              {"a", tensor::operand_of("logsumexp", a)});
  return logsumexp_along(computed(a), axes, keep).cast(a.dtype());
}

}  // namespace patchbay

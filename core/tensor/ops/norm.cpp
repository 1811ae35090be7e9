// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reductions with an elementwise step: means, norms, deviations, traces, any and all.
#include <cmath>

#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/ops/reduce.h"

namespace patchbay {

namespace {

void check_floating(const char* operation, const Tensor& a) {
  const tensor::TensorImpl& impl = tensor::operand_of(operation, a);
  tensor::check_dtype_allowed(operation, tensor::kFloats, {"a", impl});
}

Tensor is_not_zero(const char* operation, const Tensor& a) {
  return tensor::impl_of(operation, a).dtype == DType::boolean ? a : ne(a, 0);
}

/// The root. Its gradient at 0, where it has no derivative, is 0.
Tensor root_of(const Tensor& squares) {
  if (!tensor::needs_grad(squares)) return sqrt_out(squares, squares);
  return where(eq(squares.detach(), 0), 0, sqrt(where(eq(squares.detach(), 0), 1, squares)));
}

}  // namespace

Tensor mean(const Tensor& a, const Axes& axes, bool keep) {
  check_floating("mean", a);
  const std::int64_t count = tensor::num_reduced("mean", a, axes);
  if (tensor::is_small(a.dtype())) return mean(a.cast(DType::f32), axes, keep).cast(a.dtype());
  const Tensor total = tensor::reduce(tensor::op::sum, "mean", a, axes, keep);
  return tensor::needs_grad(total) ? total / count : div_out(total, total, count);
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
  check_floating("norm", a);
  if (order == 1) return tensor::reduce(tensor::op::sum_abs, "norm", a, axes, keep);
  if (order == INFINITY) return tensor::reduce(tensor::op::max_abs, "norm", a, axes, keep);
  if (order != 2) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[norm] unknown order: expected 1, 2 or infinity, got {} (a: {}). Compute it "
                   "from abs, log and exp.",
                   order, tensor::describe(*a.impl()));
  }
  if (tensor::is_small(a.dtype())) {
    static_cast<void>(tensor::num_reduced("norm", a, axes));  // its errors show a as it was given
    return norm(a.cast(DType::f32), 2, axes, keep).cast(a.dtype());
  }
  return root_of(tensor::reduce(tensor::op::sum_squares, "norm", a, axes, keep));
}

Tensor stddev(const Tensor& a, const Axes& axes, int correction, bool keep) {
  check_floating("stddev", a);
  if (tensor::is_small(a.dtype())) {
    static_cast<void>(tensor::num_reduced("stddev", a, axes));  // its errors show a as it was given
    return stddev(a.cast(DType::f32), axes, correction, keep).cast(a.dtype());
  }
  return root_of(tensor::var_of("stddev", a, axes, correction, keep));
}

Tensor trace(const Tensor& a) {
  const tensor::TensorImpl& impl = tensor::operand_of("trace", a);
  if (impl.shape.rank() != 2) {
    runtime::raise(ErrorCode::kShapeMismatch,
                   "[trace] not a matrix: expected rank 2, got {} (a: {}). Use diagonal and sum.",
                   impl.shape.rank(), tensor::describe(impl));
  }
  return sum(a.diagonal());
}

}  // namespace patchbay

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What is made of a reduction and an elementwise step: means and norms.
#include <cmath>

#include "core/tensor/autograd/record.h"
#include "core/tensor/operands.h"
#include "core/tensor/reduce.h"

namespace patchbay {

namespace {

void check_floating(const char* operation, const Tensor& a) {
  const tensor::TensorImpl& impl = tensor::impl_of(operation, a);
  tensor::check_dtype_allowed(operation, tensor::kFloats, {"a", impl});
}

}  // namespace

Tensor mean(const Tensor& a, const Axes& axes, bool keep) {
  check_floating("mean", a);
  const Tensor total = tensor::reduce(tensor::op::sum, "mean", a, axes, keep);
  const std::int64_t count = tensor::num_reduced("mean", a, axes);
  return tensor::needs_grad(total) ? total / count : div_out(total, total, count);
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
  const Tensor squares = tensor::reduce(tensor::op::sum_squares, "norm", a, axes, keep);
  if (!tensor::needs_grad(squares)) return sqrt_out(squares, squares);
  // At 0 the root has no derivative: 0 is taken.
  return where(eq(squares.detach(), 0), 0, sqrt(where(eq(squares.detach(), 0), 1, squares)));
}

}  // namespace patchbay

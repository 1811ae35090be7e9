// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/autograd/reduction.h"

#include "patchbay/ops.h"

namespace patchbay::tensor {

namespace {

/// -1, 0 or 1. No gradient flows through it.
Tensor sign(const Tensor& a) {
  const Recording recording(false);
  return gt(a, 0).cast(a.dtype()) - lt(a, 0).cast(a.dtype());
}

/// Divides the gradient among all elements that equal the extreme. If there are NaNs, they are the
/// extremes.
Tensor share(const Tensor& grad, const Tensor& values, const Tensor& extreme, const Shape& kept) {
  Tensor weights;
  {
    const Recording recording(false);
    // Count in a type that can hold the number of elements.
    const DType counted = is_small(values.dtype()) ? DType::f32 : values.dtype();
    const Tensor is_extreme = logical_or(eq(values, extreme), ne(values, values)).cast(counted);
    weights = (is_extreme / sum_to(is_extreme, kept)).cast(values.dtype());
  }
  return grad * weights;
}

}  // namespace

void record_reduction(const Operator& op, const Tensor& result, const Tensor& a,
                      const Shape& kept) {
  if (op.derivative == nullptr) return;
  if (op.id == op::sum.id) {
    record(op.name, result, a, [kept, shape = a.shape()](const Tensor& grad, const Node&) {
      return grad.view(kept).expand(shape);
    });
    return;
  }
  const Saved values("a", a);
  if (op.id == op::sum_squares.id) {
    record(op.name, result, a, [kept, values](const Tensor& grad, const Node& node) {
      return 2 * values.get(node) * grad.reshape(kept);
    });
  } else if (op.id == op::sum_abs.id) {
    record(op.name, result, a, [kept, values](const Tensor& grad, const Node& node) {
      return sign(values.get(node)) * grad.reshape(kept);
    });
  } else {  // an extreme
    const bool of_magnitudes = op.id == op::max_abs.id;
    record(op.name, result, a,
           [=, out = Saved::result(result)](const Tensor& grad, const Node& node) {
             const Tensor given = values.get(node), extreme = out.get(node).detach().reshape(kept);
             const Tensor kept_grad = grad.reshape(kept);
             if (!of_magnitudes) return share(kept_grad, given.detach(), extreme, kept);
             return share(kept_grad, abs(given.detach()), extreme, kept) * sign(given);
           });
  }
}

}  // namespace patchbay::tensor

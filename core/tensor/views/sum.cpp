// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/views/sum.h"

#include "core/tensor/dispatch/record.h"
#include "core/tensor/dispatch/reduction.h"

namespace patchbay {

namespace tensor {

Tensor sum_of(const char* operation, const Tensor& a, const Axes& axes, bool keep) {
  const TensorImpl& source = impl_of(operation, a, "a");
  const AxisMask mask = resolve_axes(operation, source, axes);
  check_reducible(op::sum, operation, source, mask, axes);
  Tensor result = reduce_checked(op::sum, operation, a, mask, keep);
  if (needs_grad(source)) [[unlikely]] {
    record(operation, result, a,
           [kept = reduced_shape(source, mask, /*keep=*/true), shape = source.shape](
               const Tensor& grad, const Node&) { return grad.view(kept).expand(shape); });
  }
  return result;
}

Tensor sum_to(const Tensor& grad, const Shape& shape) {
  if (grad.shape() == shape) return grad;
  const int missing = grad.rank() - shape.rank();
  Axes axes;
  for (int i = 0; i < grad.rank(); ++i) {
    if (i < missing || (shape[i - missing] == 1 && grad.shape()[i] != 1)) axes.dims.push_back(i);
  }
  return sum(grad, axes, /*keep=*/true).view(shape);
}

}  // namespace tensor

Tensor sum(const Tensor& a, const Axes& axes, bool keep) {
  return tensor::sum_of("sum", a, axes, keep);
}

}  // namespace patchbay

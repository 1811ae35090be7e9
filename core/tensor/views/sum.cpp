// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/views/sum.h"

#include "patchbay/complex.h"

#include "core/tensor/dispatch/record.h"
#include "core/tensor/dispatch/reduction.h"

namespace patchbay {

namespace tensor {

namespace {

/// Of both parts.
Tensor complex_sum(const char* operation, const Tensor& a, AxisMask mask, bool keep) {
  if (mask == 0) return a.clone();
  Axes axes;
  for (int i = 0; i < a.rank(); ++i) {
    if (is_reduced(mask, i)) axes.dims.push_back(i);
  }
  return view_as_complex(sum_of(operation, view_as_real(a), axes, keep));
}

}  // namespace

Tensor sum_of(const char* operation, const Tensor& a, const Axes& axes, bool keep) {
  const TensorImpl& source = impl_of(operation, a, "a");
  const AxisMask mask = resolve_axes(operation, source, axes);
  if (is_complex(source.dtype)) return complex_sum(operation, a, mask, keep);
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

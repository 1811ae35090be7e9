// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/views/gradients.h"

namespace patchbay::tensor {

Tensor unslice(const Tensor& grad, const Shape& shape, int dim, std::int64_t first,
               std::int64_t step) {
  if (grad.shape() == shape) return grad;
  // Just behind the last element: a whole step more may overflow.
  const std::int64_t count = grad.size(dim);
  const std::int64_t end = count == 0 ? first : first + (count - 1) * step + 1;
  Tensor result;
  {
    const Recording recording(false);
    result = grad.new_zeros(shape);
    result.slice(dim, first, end, step).copy_from(grad);
  }
  return recorded("slice's gradient", result, grad, [dim, first, end, step](const Tensor& second) {
    return second.slice(dim, first, end, step);
  });
}

Tensor undiagonal(const Tensor& grad, const Shape& shape, std::int64_t offset, int dim0, int dim1) {
  Tensor result;
  {
    const Recording recording(false);
    result = grad.new_zeros(shape);
    result.diagonal(offset, dim0, dim1).copy_from(grad);
  }
  return recorded("diagonal's gradient", result, grad, [offset, dim0, dim1](const Tensor& second) {
    return second.diagonal(offset, dim0, dim1);
  });
}

}  // namespace patchbay::tensor

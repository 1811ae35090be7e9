// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/autograd/views.h"

namespace patchbay::tensor {

Tensor unslice(const Tensor& grad, const Shape& shape, int dim, std::int64_t first,
               std::int64_t step) {
  if (grad.shape() == shape) return grad;
  const std::int64_t end = first + grad.size(dim) * step;
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

}  // namespace patchbay::tensor

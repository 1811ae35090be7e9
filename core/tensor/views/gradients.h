// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Gradients of views and other operations with one operand whose derivative needs no values.
#ifndef PATCHBAY_CORE_TENSOR_VIEWS_GRADIENTS_H_
#define PATCHBAY_CORE_TENSOR_VIEWS_GRADIENTS_H_

#include <cstdint>
#include <utility>

#include "core/tensor/dispatch/record.h"

namespace patchbay::tensor {

/// A step that does not look at the node.
template <class Step>
struct StepOfGradient {
  Tensor operator()(const Tensor& grad, const Node& /*node*/) const { return step(grad); }
  bool owns_tensors() const { return tensor::owns_tensors(step); }

  Step step;
};

/// Records `result` if `input` needs a gradient. `step` maps the result's gradient to the input's.
template <class Step>
Tensor recorded(const char* operation, Tensor result, const Tensor& input, Step step) {
  if (needs_grad(input)) [[unlikely]] {
    record(operation, result, input, StepOfGradient<Step>{std::move(step)});
  }
  return result;
}

/// Zeros of `shape` with `grad` at the elements first, first + step, ... of dimension `dim`.
Tensor unslice(const Tensor& grad, const Shape& shape, int dim, std::int64_t first,
               std::int64_t step);

/// Zeros of `shape` with `grad` on the given diagonal.
Tensor undiagonal(const Tensor& grad, const Shape& shape, std::int64_t offset, int dim0, int dim1);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_VIEWS_GRADIENTS_H_

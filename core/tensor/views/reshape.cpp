// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reshapes tensors.
#include <cstdint>
#include <optional>

#include "patchbay/tensor.h"

#include "core/base/size.h"
#include "core/tensor/base/iteration.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/views/gradients.h"

namespace patchbay {

using tensor::describe;
using tensor::make_view;
using tensor::TensorImpl;

namespace {

[[noreturn, gnu::cold]] void raise_does_not_fit(const char* operation, const TensorImpl& impl,
                                                const Shape& shape) {
  base::raise(ErrorCode::kShapeMismatch,
              "[{}] the elements do not fit: expected a shape of {} elements, got {} (tensor: "
              "{}). One extent may be -1, to be worked out.",
              operation, impl.num_elements, to_string(shape), describe(impl));
}

/// Replaces the -1 in the shape by its extent.
Shape resolve_shape(const char* operation, const TensorImpl& impl, const Shape& shape) {
  Shape resolved = shape;
  int unknown = -1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] != -1) continue;
    if (unknown >= 0) raise_does_not_fit(operation, impl, shape);
    unknown = i;
    resolved[i] = 1;
  }
  const std::int64_t known = base::checked_num_elements(operation, resolved);
  if (unknown >= 0) {
    // Without elements every extent would fit.
    if (known == 0 || impl.num_elements % known != 0) raise_does_not_fit(operation, impl, shape);
    resolved[unknown] = impl.num_elements / known;
  } else if (known != impl.num_elements) {
    raise_does_not_fit(operation, impl, shape);
  }
  return resolved;
}

/// Strides with which `shape` walks the elements in their order, if there are any. Splits each run
/// of elements with one stride anew, from the last dimension on.
std::optional<Shape> view_strides(const TensorImpl& impl, const Shape& shape) {
  if (impl.is_contiguous) return contiguous_strides(shape);
  tensor::Iteration runs(impl.shape);
  runs.add(impl);
  runs.collapse();
  Shape strides = shape;
  int dim = shape.rank() - 1;
  for (int run = runs.rank() - 1; run >= 0; --run) {
    std::int64_t stride = runs.strides(0)[run];
    std::int64_t left = runs.extents()[run];
    while (dim >= 0 && (left > 1 || shape[dim] == 1)) {
      if (left % shape[dim] != 0) return std::nullopt;
      strides[dim] = stride;
      stride *= shape[dim];
      left /= shape[dim--];
    }
  }
  return strides;
}

}  // namespace

Tensor Tensor::view(const Shape& shape) const {
  const TensorImpl& impl = tensor::impl_of("view", *this, "tensor");
  const Shape resolved = resolve_shape("view", impl, shape);
  const std::optional<Shape> strides = view_strides(impl, resolved);
  if (!strides) {
    base::raise(ErrorCode::kShapeMismatch,
                "[view] the strides allow no view: expected dimensions that follow each other, "
                "got strides {} for shape {} (tensor: {}). Use reshape, which copies.",
                to_string(impl.strides), to_string(resolved), describe(impl));
  }
  return tensor::recorded("view", make_view(impl, impl.offset_bytes, resolved, *strides), *this,
                          [from = impl.shape](const Tensor& grad) { return grad.reshape(from); });
}

Tensor Tensor::reshape(const Shape& shape) const {
  const TensorImpl& impl = tensor::operand_of("reshape", *this, "tensor");
  const Shape resolved = resolve_shape("reshape", impl, shape);
  return (view_strides(impl, resolved) ? *this : contiguous()).view(resolved);
}

}  // namespace patchbay

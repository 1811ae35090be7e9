// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Padding with a constant.
#include <limits>

#include "patchbay/concat.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/views/gradients.h"

namespace patchbay {

namespace tensor {
namespace {

using Paddings = std::vector<Padding>;

Shape padded_shape(const TensorImpl& impl, const Paddings& padding) {
  Shape shape = impl.shape;
  if (padding.size() != static_cast<std::size_t>(shape.rank())) {
    raise(
        ErrorCode::kInvalidArgument,
        "[pad] wrong number of paddings: expected {}, one for each dimension, got {} (a: {}). Use "
        "{{0, 0}} where there is to be none.",
        shape.rank(), padding.size(), describe(impl));
  }
  for (int dim = 0; dim < shape.rank(); ++dim) {
    const auto [before, after] = padding[static_cast<std::size_t>(dim)];
    if (before < 0 || after < 0) {
      raise(ErrorCode::kInvalidArgument,
            "[pad] a negative padding: expected 0 or more, got {} and {} in dimension {} (a: {}). "
            "Use slice to take elements away.",
            before, after, dim, describe(impl));
    }
    if (!__builtin_add_overflow(shape[dim], before, &shape[dim]) &&
        !__builtin_add_overflow(shape[dim], after, &shape[dim])) {
      continue;
    }
    raise(
        ErrorCode::kOverflow,
        "[pad] too many elements: expected at most 2^63 - 1, got more in dimension {} (a: {}). Use "
        "a smaller padding.",
        dim, describe(impl));
  }
  return shape;
}

/// A range of a tensor's elements: begin and end in each dimension.
struct Box {
  const TensorImpl& tensor;
  Shape begin, end;

  Tensor view() const {
    Shape shape = end;
    std::int64_t offset = 0;
    for (int dim = 0; dim < shape.rank(); ++dim) {
      shape[dim] -= begin[dim];
      offset += begin[dim] * tensor.strides[dim];
    }
    if (num_elements(shape) == 0) offset = 0;  // no view may begin outside the storage
    return make_view(
        tensor, tensor.offset_bytes + static_cast<std::size_t>(offset) * size_bytes(tensor.dtype),
        shape, tensor.strides);
  }
};

// Up to this size, one launch that fills everything costs less than several for the borders.
constexpr std::size_t kFewBytes = 256 << 10;

/// Fills thin borders of a large tensor separately, so that the inside is written only once. Not
/// those of the last dimension, which are a few elements in many places.
bool should_fill_borders(const TensorImpl& out, const TensorImpl& a) {
  return out.packed_bytes() > kFewBytes && a.num_elements > out.num_elements / 4 * 3 &&
         out.shape[out.shape.rank() - 1] == a.shape[a.shape.rank() - 1];
}

void fill_borders(const Box& inside, const base::ElementBits& bits) {
  Box rest{inside.tensor, inside.begin, inside.tensor.shape};
  for (int dim = 0; dim < rest.begin.rank(); ++dim) rest.begin[dim] = 0;
  for (int dim = 0; dim < rest.begin.rank(); ++dim) {  // earlier ones are cut to the inside
    Box before = rest, after = rest;
    before.end[dim] = inside.begin[dim];
    after.begin[dim] = inside.end[dim];
    launch_fill(*before.view().impl(), bits);
    launch_fill(*after.view().impl(), bits);
    rest.begin[dim] = inside.begin[dim];
    rest.end[dim] = inside.end[dim];
  }
}

void pad_into(const TensorImpl& out, const TensorImpl& a, const Paddings& padding,
              const base::ElementBits& bits) {
  Box inside{out, out.shape, out.shape};
  for (int dim = 0; dim < out.shape.rank(); ++dim) {
    inside.begin[dim] = padding[static_cast<std::size_t>(dim)].before;
    inside.end[dim] = inside.begin[dim] + a.shape[dim];
  }
  if (should_fill_borders(out, a)) {
    fill_borders(inside, bits);
  } else {
    launch_fill(out, bits);
  }
  if (!a.is_empty()) launch_copy(*inside.view().impl(), a);
}

}  // namespace
}  // namespace tensor

Tensor pad(const Tensor& a, const std::vector<Padding>& padding, const Scalar& value) {
  const tensor::TensorImpl& impl = tensor::impl_of("pad", a, "a");
  const Shape shape = tensor::padded_shape(impl, padding);
  const base::ElementBits bits = tensor::literal("pad", impl.dtype, value).bits;
  Tensor result = tensor::make_empty("pad", shape, impl.dtype, impl);
  tensor::pad_into(*result.impl(), impl, padding, bits);
  return tensor::recorded("pad", result, a, [padding, inside = impl.shape](Tensor grad) {
    for (int dim = 0; dim < inside.rank(); ++dim) {
      const std::int64_t begin = padding[static_cast<std::size_t>(dim)].before;
      grad = grad.slice(dim, begin, begin + inside[dim]);
    }
    return grad;
  });
}

}  // namespace patchbay

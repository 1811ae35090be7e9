// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Views of the same storage: slices, permutations, repeats.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "patchbay/tensor.h"

#include "core/base/size.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/views/gradients.h"
#include "core/tensor/views/sum.h"

namespace patchbay {

using tensor::describe;
using tensor::make_view;
using tensor::recorded;
using tensor::resolve_axis;
using tensor::resolve_dim;
using tensor::TensorImpl;

namespace {

/// The offset of an index of one dimension, from the start of the storage.
std::size_t offset_at(const TensorImpl& impl, int dim, std::int64_t index) {
  const std::int64_t elements = index * impl.strides[dim];
  return impl.offset_bytes + static_cast<std::size_t>(elements) * size_bytes(impl.dtype);
}

std::int64_t clamp_index(std::int64_t index, std::int64_t extent) {
  if (index < 0) index = std::max(index, -extent) + extent;
  return std::min(index, extent);
}

}  // namespace

Tensor Tensor::slice(Dim along, Index start, Index end, Index stride) const {
  const TensorImpl& impl = tensor::impl_of("slice", *this, "tensor");
  const int dim = resolve_dim("slice", {"tensor", impl}, along);
  const std::int64_t step = stride;
  if (step < 1) {
    base::raise(ErrorCode::kInvalidArgument,
                "[slice] bad step: expected 1 or more, got {} (tensor: {}). Tensors have no "
                "negative strides.",
                step, describe(impl));
  }
  const std::int64_t extent = impl.shape[dim];
  const std::int64_t first = clamp_index(start, extent);
  const std::int64_t last = clamp_index(end, extent);
  Shape shape = impl.shape, strides = impl.strides;
  shape[dim] = last <= first ? 0 : (last - first - 1) / step + 1;
  if (shape[dim] > 1) strides[dim] *= step;  // else it is unused, and might overflow
  // An empty slice starts where the tensor does, which is always inside the storage.
  const Tensor view = make_view(
      impl, shape[dim] == 0 ? impl.offset_bytes : offset_at(impl, dim, first), shape, strides);
  return recorded("slice", view, *this, [shape = impl.shape, dim, first, step](const Tensor& grad) {
    return tensor::unslice(grad, shape, dim, first, step);
  });
}

Tensor Tensor::select(Dim along, Index at) const {
  const TensorImpl& impl = tensor::impl_of("select", *this, "tensor");
  const int dim = resolve_dim("select", {"tensor", impl}, along);
  const std::int64_t extent = impl.shape[dim];
  std::int64_t index = at;
  if (index < -extent || index >= extent) {
    base::raise(ErrorCode::kInvalidArgument,
                "[select] index {0} is out of range: expected {1} to {2} for extent {3} of "
                "dimension {4}, got {0} (tensor: {5}). Use an index that the tensor has.",
                index, -extent, extent - 1, extent, dim, describe(impl));
  }
  Shape shape = impl.shape, strides = impl.strides;
  shape.erase(dim);
  strides.erase(dim);
  if (index < 0) index += extent;
  return recorded("select", make_view(impl, offset_at(impl, dim, index), shape, strides), *this,
                  [shape = impl.shape, dim, index](const Tensor& grad) {
                    return tensor::unslice(grad.unsqueeze(dim), shape, dim, index, 1);
                  });
}

namespace {

Tensor permuted(const Tensor& tensor, std::span<const Dim> dims) {
  const TensorImpl& impl = tensor::impl_of("permute", tensor, "tensor");
  const auto raise_not_permuted = [&] {
    base::raise(ErrorCode::kInvalidArgument,
                "[permute] not an order of the dimensions: expected each of {} dimensions once, "
                "got [{}] (tensor: {}). Name every dimension once.",
                impl.shape.rank(), fmt::join(std::vector<int>(dims.begin(), dims.end()), ", "),
                describe(impl));
  };
  if (dims.size() != static_cast<std::size_t>(impl.shape.rank())) raise_not_permuted();
  Shape shape, strides;
  unsigned seen = 0;
  for (const Dim named : dims) {
    const int dim = resolve_dim("permute", {"tensor", impl}, named);
    if ((seen >> dim & 1u) != 0) raise_not_permuted();
    seen |= 1u << dim;
    shape.push_back(impl.shape[dim]);
    strides.push_back(impl.strides[dim]);
  }
  return recorded("permute", make_view(impl, impl.offset_bytes, shape, strides), tensor,
                  tensor::WithoutTensors{
                      [order = std::vector<int>(dims.begin(), dims.end())](const Tensor& grad) {
                        const int rank = grad.rank();
                        std::vector<Dim> inverse(order.size(), 0);
                        for (int i = 0; i < rank; ++i) {
                          const int dim = order[static_cast<std::size_t>(i)];
                          inverse[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)] = i;
                        }
                        return permuted(grad, inverse);
                      }});
}

}  // namespace

Tensor Tensor::permute(std::initializer_list<Dim> dims) const {
  return permuted(*this, {dims.begin(), dims.size()});
}

Tensor Tensor::permute(const Dim* dims, std::size_t num_dims) const {
  return permuted(*this, {dims, num_dims});
}

Tensor Tensor::transpose(Dim first, Dim second) const {
  const TensorImpl& impl = tensor::impl_of("transpose", *this, "tensor");
  const int dim0 = resolve_axis("transpose", {"tensor", impl}, first);
  const int dim1 = resolve_axis("transpose", {"tensor", impl}, second);
  Shape shape = impl.shape, strides = impl.strides;
  std::swap(shape[dim0], shape[dim1]);
  std::swap(strides[dim0], strides[dim1]);
  return recorded("transpose", make_view(impl, impl.offset_bytes, shape, strides), *this,
                  [dim0, dim1](const Tensor& grad) { return grad.transpose(dim0, dim1); });
}

Tensor Tensor::t() const {
  const TensorImpl& impl = tensor::operand_of("t", *this, "tensor");
  if (impl.shape.rank() != 2) {
    base::raise(ErrorCode::kShapeMismatch,
                "[t] not a matrix: expected rank 2, got {} (tensor: {}). Use transpose or "
                "permute.",
                impl.shape.rank(), describe(impl));
  }
  return transpose(0, 1);
}

Tensor Tensor::diagonal(Index which, Dim dim0, Dim dim1) const {
  const TensorImpl& impl = tensor::impl_of("diagonal", *this, "tensor");
  const int row = resolve_dim("diagonal", {"tensor", impl}, dim0),
            column = resolve_dim("diagonal", {"tensor", impl}, dim1);
  if (row == column) {
    base::raise(ErrorCode::kInvalidArgument,
                "[diagonal] no plane: expected two dimensions, got {} twice (tensor: {}). Name "
                "another one.",
                row, describe(impl));
  }
  const std::int64_t offset = std::clamp<std::int64_t>(which, -impl.shape[row], impl.shape[column]);
  const std::int64_t below = std::max<std::int64_t>(-offset, 0);
  const std::int64_t beside = std::max<std::int64_t>(offset, 0);
  const std::int64_t length = std::min(impl.shape[row] - below, impl.shape[column] - beside);
  Shape shape = impl.shape, strides = impl.strides;
  for (const int dim : {std::max(row, column), std::min(row, column)}) {
    shape.erase(dim);
    strides.erase(dim);
  }
  shape.push_back(length);
  strides.push_back(length > 1 ? impl.strides[row] + impl.strides[column] : 1);
  const std::size_t skipped =
      static_cast<std::size_t>(below * impl.strides[row] + beside * impl.strides[column]) *
      patchbay::size_bytes(impl.dtype);
  // An empty view starts where the tensor does, which is always inside the storage.
  const bool is_empty = patchbay::num_elements(shape) == 0;
  return recorded("diagonal",
                  make_view(impl, impl.offset_bytes + (is_empty ? 0 : skipped), shape, strides),
                  *this, [from = impl.shape, offset, row, column](const Tensor& grad) {
                    return tensor::undiagonal(grad, from, offset, row, column);
                  });
}

Tensor Tensor::expand(const Shape& shape) const {
  const TensorImpl& impl = tensor::impl_of("expand", *this, "tensor");
  Shape extents = shape, strides = shape;
  const int missing = shape.rank() - impl.shape.rank();
  for (int i = 0; i < missing; ++i) {
    if (shape[i] != -1) continue;
    base::raise(ErrorCode::kInvalidArgument,
                "[expand] a new dimension has no extent to keep: expected 0 or more in dimension "
                "{}, got -1 in {} (tensor: {}). -1 keeps the extent of a dimension that the "
                "tensor has.",
                i, to_string(shape), describe(impl));
  }
  bool fits = missing >= 0;
  for (int i = 0; fits && i < shape.rank(); ++i) {
    const bool is_new = i < missing;
    const std::int64_t mine = is_new ? 1 : impl.shape[i - missing];
    if (extents[i] == -1 && !is_new) extents[i] = mine;  // unchanged
    fits = mine == extents[i] || mine == 1;
    strides[i] = is_new || mine != extents[i] ? 0 : impl.strides[i - missing];
  }
  if (!fits) {
    base::raise(ErrorCode::kShapeMismatch,
                "[expand] the shape does not expand: expected extents equal or 1, got {} for a "
                "tensor of shape {} (tensor: {}). Only dimensions of extent 1 repeat.",
                to_string(shape), to_string(impl.shape), describe(impl));
  }
  base::checked_size_bytes("expand", extents, impl.dtype);
  return recorded("expand", make_view(impl, impl.offset_bytes, extents, strides), *this,
                  [from = impl.shape](const Tensor& grad) { return tensor::sum_to(grad, from); });
}

Tensor Tensor::squeeze(Dim named) const {
  const TensorImpl& impl = tensor::operand_of("squeeze", *this, "tensor");
  const int dim = resolve_axis("squeeze", {"tensor", impl}, named);
  if (impl.shape.rank() == 0 || impl.shape[dim] != 1) return *this;
  return select(dim, 0);
}

Tensor Tensor::unsqueeze(Dim named) const {
  const TensorImpl& impl = tensor::impl_of("unsqueeze", *this, "tensor");
  const int rank = impl.shape.rank();
  int dim = named;
  if (dim < -rank - 1 || dim > rank) {
    base::raise(ErrorCode::kInvalidArgument,
                "[unsqueeze] dimension {0} is out of range: expected {1} to {2} for rank {2}, "
                "got {0} (tensor: {3}). Use one of these.",
                dim, -rank - 1, rank, describe(impl));
  }
  if (rank == kMaxRank) {
    base::raise(ErrorCode::kInvalidArgument,
                "[unsqueeze] too many dimensions: expected a tensor of rank {} at most, got {} "
                "(tensor: {}). Merge some of them with reshape.",
                kMaxRank - 1, rank, describe(impl));
  }
  if (dim < 0) dim += rank + 1;
  Shape shape = impl.shape, strides = impl.strides;
  // With this stride, a contiguous tensor stays contiguous.
  strides.insert(dim, dim < rank ? strides[dim] * std::max<std::int64_t>(shape[dim], 1) : 1);
  shape.insert(dim, 1);
  return recorded("unsqueeze", make_view(impl, impl.offset_bytes, shape, strides), *this,
                  [dim](const Tensor& grad) { return grad.squeeze(dim); });
}

}  // namespace patchbay

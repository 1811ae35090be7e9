// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Joins and splits tensors.
#include "patchbay/concat.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay {

namespace tensor {
namespace {

using Tensors = std::vector<Tensor>;

std::string name_of(std::size_t i) { return fmt::format("tensors[{}]", i); }

void check_defined(const char* operation, const Tensors& tensors) {
  if (tensors.empty()) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] the list of tensors is empty. Pass at least one tensor; its extent may be 0.",
          operation);
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].defined()) raise_undefined(operation, name_of(i));
    static_cast<void>(operand_of(operation, tensors[i]));
  }
}

bool fit(const Shape& a, const Shape& b, int free_dim) {
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (i != free_dim && a[i] != b[i]) return false;
  }
  return true;
}

/// Checks that all tensors match the first, except in the extent of `free_dim` (-1: none).
void check_alike(const char* operation, const Tensors& tensors, int free_dim) {
  const TensorImpl& first = *tensors[0].impl();
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    const TensorImpl& one = *tensors[i].impl();
    if (&one.device() == &first.device() && one.dtype == first.dtype &&
        fit(first.shape, one.shape, free_dim)) {
      continue;
    }
    const std::string name = name_of(i);
    const NamedOperand expected{"tensors[0]", first}, got{name.c_str(), one};
    check_same_device(operation, expected, got);
    check_same_dtype(operation, expected, got);
    const std::string but = free_dim < 0 ? "" : fmt::format(" but in dimension {}", free_dim);
    raise(
        ErrorCode::kShapeMismatch,
        "[{}] shapes differ: expected {} of shape {} like tensors[0]{}, got {} ({}; {}). Reshape, "
        "pad or slice it.",
        operation, name, to_string(first.shape), but, to_string(one.shape), describe(expected),
        describe(got));
  }
}

Shape joined_shape(const char* operation, const Tensors& tensors, int dim) {
  Shape shape = tensors[0].shape();
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    if (!__builtin_add_overflow(shape[dim], tensors[i].shape()[dim], &shape[dim])) continue;
    raise(ErrorCode::kOverflow,
          "[{}] too many elements: expected at most 2^63 - 1 in dimension {}, got more "
          "(tensors[0]: {}). Put fewer together.",
          operation, dim, describe(*tensors[0].impl()));
  }
  return shape;
}

/// Copies without recording.
void copy_parts(const TensorImpl& out, const Tensors& tensors, int dim) {
  Shape part = out.shape;
  std::size_t offset = out.offset_bytes;
  for (const Tensor& one : tensors) {
    part[dim] = one.shape()[dim];
    if (one.impl()->is_empty()) continue;
    launch_copy(*make_view(out, offset, part, out.strides).impl(), *one.impl());
    offset += static_cast<std::size_t>(part[dim] * out.strides[dim]) * size_bytes(out.dtype);
  }
}

/// The gradients are slices of the result's gradient.
void record_concat(const char* operation, const Tensor& result, const Tensors& tensors, int dim) {
  std::vector<std::pair<std::int64_t, bool>> parts;  // extents, and whether a gradient is needed
  std::vector<const Tensor*> inputs;
  for (const Tensor& one : tensors) {
    parts.emplace_back(one.shape()[dim], needs_grad(one));
    inputs.push_back(&one);
  }
  record(operation, result, inputs,
         WithoutTensors{[parts = std::move(parts), dim](const Tensor& grad, const Node&) {
           std::vector<Tensor> grads(parts.size());
           std::int64_t begin = 0;
           for (std::size_t i = 0; i < parts.size(); ++i) {
             const auto [extent, wanted] = parts[i];
             if (wanted) grads[i] = grad.slice(dim, begin, begin + extent);
             begin += extent;
           }
           return grads;
         }});
}

/// Joins checked tensors.
Tensor concatenated(const char* operation, const Tensors& tensors, int dim) {
  const TensorImpl& first = *tensors[0].impl();
  Tensor result = make_empty(operation, joined_shape(operation, tensors, dim), first.dtype, first);
  copy_parts(*result.impl(), tensors, dim);
  const auto needs = [](const Tensor& one) { return needs_grad(one); };
  if (std::any_of(tensors.begin(), tensors.end(), needs)) {
    record_concat(operation, result, tensors, dim);
  }
  return result;
}

int check_concat(const Tensors& tensors, int dim) {
  check_defined("concat", tensors);
  dim = resolve_dim("concat", {"tensors[0]", *tensors[0].impl()}, dim);
  check_alike("concat", tensors, dim);
  return dim;
}

int check_stack(const Tensors& tensors, int dim) {
  check_defined("stack", tensors);
  check_alike("stack", tensors, -1);
  const TensorImpl& first = *tensors[0].impl();
  const int rank = first.shape.rank();
  if (rank == kMaxRank) {
    raise(ErrorCode::kInvalidArgument,
          "[stack] too many dimensions: expected tensors of rank {} at most, got {} (tensors[0]: "
          "{}). Reshape them first.",
          kMaxRank - 1, rank, describe(first));
  }
  if (dim < -rank - 1 || dim > rank) {
    raise(ErrorCode::kInvalidArgument,
          "[stack] dimension {0} is out of range: expected {1} to {2} for rank {2}, got {0} "
          "(tensors[0]: {3}). Use one of these.",
          dim, -rank - 1, rank, describe(first));
  }
  return dim < 0 ? dim + rank + 1 : dim;
}

}  // namespace
}  // namespace tensor

Tensor concat(const std::vector<Tensor>& tensors, Dim dim) {
  dim = tensor::check_concat(tensors, dim);
  return tensor::concatenated("concat", tensors, dim);
}

const Tensor& concat_out(const Tensor& out, const std::vector<Tensor>& tensors, Dim dim) {
  const tensor::TensorImpl& target = tensor::impl_of("concat", out, "out");
  dim = tensor::check_concat(tensors, dim);
  tensor::check_same_device("concat", {"out", target}, {"tensors[0]", *tensors[0].impl()});
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensor::refuse_gradient("concat", {tensor::name_of(i), *tensors[i].impl()});
  }
  tensor::check_out("concat", target, tensor::joined_shape("concat", tensors, dim),
                    tensors[0].dtype());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensor::check_no_overlap("concat", target, {tensor::name_of(i), *tensors[i].impl()});
  }
  target.buffer().count_version();
  tensor::copy_parts(target, tensors, dim);
  return out;
}

Tensor stack(const std::vector<Tensor>& tensors, Dim dim) {
  dim = tensor::check_stack(tensors, dim);
  std::vector<Tensor> layers;
  layers.reserve(tensors.size());
  for (const Tensor& one : tensors) layers.push_back(one.unsqueeze(dim));
  return tensor::concatenated("stack", layers, dim);
}

namespace {

std::vector<Tensor> pieces_of(const Tensor& tensor, std::int64_t size, int dim) {
  const std::int64_t extent = tensor.shape()[dim];
  std::vector<Tensor> pieces;
  std::int64_t begin = 0;
  do {
    const std::int64_t count = std::min(size, extent - begin);
    pieces.push_back(tensor.slice(dim, begin, begin + count));
    begin += count;
  } while (begin < extent);
  return pieces;
}

}  // namespace

const std::vector<Tensor> split(const Tensor& tensor, std::int64_t size, Dim dim) {
  const tensor::TensorImpl& impl = tensor::operand_of("split", tensor, "tensor");
  dim = tensor::resolve_dim("split", {"tensor", impl}, dim);
  if (size < 1) {
    base::raise(ErrorCode::kInvalidArgument,
                "[split] pieces of no extent: expected a size of 1 or more, got {} (tensor: {}). "
                "Choose another size.",
                size, tensor::describe(impl));
  }
  return pieces_of(tensor, size, dim);
}

const std::vector<Tensor> split(const Tensor& tensor, const std::vector<std::int64_t>& sizes,
                                Dim along) {
  const tensor::TensorImpl& impl = tensor::operand_of("split", tensor, "tensor");
  const int dim = tensor::resolve_dim("split", {"tensor", impl}, along);
  std::int64_t left = impl.shape[dim];
  for (const std::int64_t size : sizes) left = size < 0 || size > left ? -1 : left - size;
  if (left != 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[split] the sizes do not add up: expected extents whose sum is {} of dimension "
                "{}, got [{}] (tensor: {}). Choose others.",
                impl.shape[dim], dim, fmt::join(sizes, ", "), tensor::describe(impl));
  }
  std::vector<Tensor> pieces;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    pieces.push_back(tensor.slice(dim, begin, begin + size));
    begin += size;
  }
  return pieces;
}

const std::vector<Tensor> chunk(const Tensor& tensor, std::int64_t count, Dim dim) {
  const tensor::TensorImpl& impl = tensor::operand_of("chunk", tensor, "tensor");
  dim = tensor::resolve_dim("chunk", {"tensor", impl}, dim);
  if (count < 1) {
    base::raise(ErrorCode::kInvalidArgument,
                "[chunk] no pieces: expected a count of 1 or more, got {} (tensor: {}). Choose "
                "another count.",
                count, tensor::describe(impl));
  }
  const std::int64_t extent = impl.shape[dim];
  const std::int64_t size = extent / count + (extent % count != 0 ? 1 : 0);
  return pieces_of(tensor, std::max<std::int64_t>(size, 1), dim);
}

}  // namespace patchbay

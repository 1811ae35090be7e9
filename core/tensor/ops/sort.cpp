// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Sorting, and choosing the largest or smallest elements.
#include <array>
#include <cstdint>

#include "patchbay/indexing.h"
#include "patchbay/sorting.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay {

namespace tensor {
namespace {

/// Kernels that choose a few elements do so one by one on some devices. So more than these, or more
/// than a part of all, are sorted with the others and cut out.
constexpr std::int64_t kFew = 128, kPart = 8;

Sorted launched(const char* operation, const Tensor& a, int dim, std::int64_t count,
                bool descending) {
  const TensorImpl& source = *a.impl();
  Shape shape = source.shape;
  shape[dim] = count;
  Sorted result{make_empty(operation, shape, source.dtype, source),
                make_empty(operation, shape, DType::i64, source)};
  const TensorImpl &values = *result.values.impl(), &indices = *result.indices.impl();
  if (values.is_empty()) return result;
  const std::array<std::uint64_t, 2> attributes = {static_cast<std::uint64_t>(dim),
                                                   descending ? 1u : 0u};
  runtime::KernelState& kernel =
      prepared(*source.device().kernels, op::sort, source.dtype, source.dtype, 0, attributes);
  Launch launch;
  launch.tensor(values, values.shape, values.strides, PATCHBAY_WRITE);
  launch.tensor(indices, indices.shape, indices.strides, PATCHBAY_WRITE);
  launch.tensor(source, source.shape, source.strides, PATCHBAY_READ);
  launch.run(operation, kernel);
  return result;
}

Sorted first_of(const char* operation, const Tensor& a, int dim, std::int64_t count,
                bool descending) {
  const std::int64_t extent = a.impl()->shape[dim];
  if (count == extent || (count <= kFew && count * kPart <= extent)) {
    return launched(operation, a, dim, count, descending);
  }
  const Recording recording(false);
  const Sorted all = launched(operation, a, dim, extent, descending);
  return {all.values.slice(dim, 0, count).contiguous(),
          all.indices.slice(dim, 0, count).contiguous()};
}

Sorted chosen(const char* operation, const Tensor& a, int dim, std::int64_t count,
              bool descending) {
  check_dtype_allowed(operation, op::sort.dtypes, {"a", *a.impl()});
  if (a.rank() == 0) {
    if (count != 1) {
      raise(ErrorCode::kInvalidArgument,
            "[{}] k is out of range: expected 1 for a tensor without dimensions, got {} ({}). "
            "Choose 1.",
            operation, count, describe({"a", *a.impl()}));
    }
    const Sorted one = chosen(operation, a.reshape({1}), 0, count, descending);
    return {one.values.reshape({}), one.indices.reshape({})};
  }
  Sorted result = first_of(operation, a, dim, count, descending);
  if (needs_grad(a)) {
    record(operation, result.values, a,
           [dim, shape = a.shape(), index = Saved("indices", result.indices)](const Tensor& grad,
                                                                              const Node& node) {
             Tensor zeros;
             {
               const Recording recording(false);
               zeros = grad.new_zeros(shape);
             }
             return scatter_add(zeros, dim, index.get(node), grad);
           });
  }
  return result;
}

int checked_dim(const char* operation, const Tensor& a, int dim) {
  return resolve_axis(operation, {"a", operand_of(operation, a)}, dim);
}

Sorted whole(const char* operation, const Tensor& a, int dim, bool descending) {
  const int along = checked_dim(operation, a, dim);
  return chosen(operation, a, along, a.rank() == 0 ? 1 : a.size(along), descending);
}

}  // namespace
}  // namespace tensor

Sorted sort(const Tensor& a, Dim dim, bool descending) {
  return tensor::whole("sort", a, dim, descending);
}

Tensor argsort(const Tensor& a, Dim dim, bool descending) {
  const tensor::Recording recording(false);
  return tensor::whole("argsort", a, dim, descending).indices;
}

Sorted topk(const Tensor& a, Index k, Dim dim, bool largest) {
  const int along = tensor::checked_dim("topk", a, dim);
  const std::int64_t extent = a.rank() == 0 ? 1 : a.size(along), count = k;
  if (count < 0 || count > extent) {
    base::raise(ErrorCode::kInvalidArgument,
                "[topk] k is out of range: expected 0 to {}, the extent of dimension {}, got {} "
                "({}). Choose fewer elements.",
                extent, along, count, tensor::describe({"a", *a.impl()}));
  }
  return tensor::chosen("topk", a, along, count, largest);
}

}  // namespace patchbay

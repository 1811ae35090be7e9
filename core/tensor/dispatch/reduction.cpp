// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/reduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"

namespace patchbay::tensor {

AxisMask resolve_axes(const char* operation, const TensorImpl& a, const Axes& axes) {
  if (axes.dims.empty()) return (1u << a.shape.rank()) - 1;
  AxisMask mask = 0;
  for (const int axis : axes.dims) {
    const AxisMask bit = 1u << resolve_axis(operation, {"a", a}, axis);
    if ((mask & bit) != 0) {
      raise(ErrorCode::kInvalidArgument,
            "[{}] axis {} is named twice: expected each axis once, got [{}] (a: {}). Drop one.",
            operation, axis, fmt::join(axes.dims, ", "), describe(a));
    }
    mask |= bit;
  }
  return mask;
}

std::int64_t num_reduced(const TensorImpl& a, AxisMask mask) {
  std::int64_t count = 1;
  for (int i = 0; i < a.shape.rank(); ++i) {
    if (is_reduced(mask, i)) count *= a.shape[i];
  }
  return count;
}

void check_reducible(const Operator& op, const char* operation, const TensorImpl& a, AxisMask mask,
                     const Axes& axes) {
  check_dtype_allowed(operation, op.dtypes, {"a", a});
  if (finds_index(op) && axes.dims.size() > 1) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] too many axes: expected one, or none for the index in the flattened tensor, got "
          "[{}] (a: {}). Reshape the tensor, so that they are one.",
          operation, fmt::join(axes.dims, ", "), describe(a));
  }
  if (!is_sum(op) && !is_product(op) && num_reduced(a, mask) == 0) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] nothing to reduce: expected at least one element along the axes, got shape {} "
          "(a: {}). Skip empty tensors.",
          operation, to_string(a.shape), describe(a));
  }
}

Shape reduced_shape(const TensorImpl& a, AxisMask mask, bool keep) {
  Shape shape;
  for (int i = 0; i < a.shape.rank(); ++i) {
    if (!is_reduced(mask, i)) {
      shape.push_back(a.shape[i]);
    } else if (keep) {
      shape.push_back(1);
    }
  }
  return shape;
}

namespace {

/// The result's strides, one for each dimension of the source: 0 where it is reduced. The walk then
/// merges dimensions only if all of them are kept or all are reduced.
Shape walk_strides(const TensorImpl& a, const TensorImpl& out, AxisMask mask, bool keep) {
  Shape strides;
  int kept = 0;
  for (int i = 0; i < a.shape.rank(); ++i) {
    strides.push_back(is_reduced(mask, i) ? 0 : out.strides[kept]);
    kept += keep || !is_reduced(mask, i) ? 1 : 0;
  }
  return strides;
}

}  // namespace

Iteration walk_of(const TensorImpl& out, const TensorImpl& a, AxisMask mask, bool keep) {
  Iteration walk(a.shape);
  walk.add(a.shape, walk_strides(a, out, mask, keep));
  walk.add(a);
  walk.collapse();
  return walk;
}

Shape kept_extents(const Iteration& walk) {
  Shape extents = walk.extents();
  for (int i = 0; i < walk.rank(); ++i) {
    if (walk.strides(0)[i] == 0) extents[i] = 1;
  }
  return extents;
}

namespace {

void launch_reduction(const Operator& op, const TensorImpl& out, const TensorImpl& a,
                      const Iteration& walk) {
  runtime::KernelState& kernel = prepared(*a.device().kernels, op, out.dtype, a.dtype);
  Launch launch;
  launch.tensor(out, kept_extents(walk), walk.strides(0), PATCHBAY_WRITE);
  launch.tensor(a, walk.extents(), walk.strides(1), PATCHBAY_READ);
  launch.run(op.name, kernel);
}

}  // namespace

Tensor reduce_checked(const Operator& op, const char* operation, const Tensor& a, AxisMask mask,
                      bool keep) {
  const TensorImpl& source = *a.impl();
  Tensor result = make_empty(operation, reduced_shape(source, mask, keep),
                             result_dtype(op, source.dtype), source);
  const TensorImpl& out = *result.impl();
  if (source.is_empty()) {
    // Does nothing if out is empty too.
    launch_fill(out, literal(operation, out.dtype, is_product(op) ? 1 : 0));
  } else {
    launch_reduction(op, out, source, walk_of(out, source, mask, keep));
  }
  return result;
}

}  // namespace patchbay::tensor

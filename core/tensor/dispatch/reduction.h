// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The steps of a reduction.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_REDUCTION_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_REDUCTION_H_

#include <cstdint>

#include "patchbay/ops.h"

#include "core/tensor/base/iteration.h"
#include "core/tensor/base/tensor_impl.h"
#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

/// One bit for each dimension that is reduced.
using AxisMask = unsigned;

inline bool is_reduced(AxisMask mask, int dim) { return (mask >> dim & 1u) != 0; }

/// Errors: kInvalidArgument for an axis that `a` does not have, or that is named twice.
AxisMask resolve_axes(const char* operation, const TensorImpl& a, const Axes& axes);
/// The number of elements that make one element of the result.
std::int64_t num_reduced(const TensorImpl& a, AxisMask mask);

inline bool finds_index(const Operator& op) { return op.result == Result::kIndex; }
/// Sums are the operators whose error bound counts terms. A sum of no elements is 0, a product 1;
/// an extreme of none is an error.
constexpr bool is_sum(const Operator& op) { return op.signature->bound.of_terms; }
constexpr bool is_product(const Operator& op) { return op.id == op::prod.id; }

void check_reducible(const Operator& op, const char* operation, const TensorImpl& a, AxisMask mask,
                     const Axes& axes);
/// The result's shape. `keep`: with extent 1 where it was reduced.
Shape reduced_shape(const TensorImpl& a, AxisMask mask, bool keep);

/// Walks the elements of `a` with those of `out` that they go to.
Iteration walk_of(const TensorImpl& out, const TensorImpl& a, AxisMask mask, bool keep);
/// The extents of the result in the dimensions of the walk.
Shape kept_extents(const Iteration& walk);

/// Reduces checked operands. Records no gradient.
Tensor reduce_checked(const Operator& op, const char* operation, const Tensor& a, AxisMask mask,
                      bool keep);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_REDUCTION_H_

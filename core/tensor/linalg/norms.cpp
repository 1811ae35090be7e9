// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Norms of vectors and matrices.
#include <cmath>

#include "patchbay/linalg.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/tensor/dispatch/reduction.h"
#include "core/tensor/linalg/matrices.h"

namespace patchbay {
namespace {

/// Errors: kInvalidArgument, because nothing is the smallest of no elements.
void check_smallest(const char* operation, const Tensor& x) {
  if (x.num_elements() != 0) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] no smallest value of no elements: expected elements, got none ({}). Choose "
              "another order.",
              operation, tensor::describe({"x", *x.impl()}));
}

/// Sums along one dimension, then the largest or the smallest along the other.
Tensor sums_norm(const Tensor& x, int summed, bool is_largest, bool keepdim) {
  const int other = summed == -2 ? -1 : -2;
  const Tensor sums = sum(abs(x), summed, true);
  const Tensor chosen = is_largest ? max(sums, other, true) : min(sums, other, true);
  return keepdim ? chosen : chosen.squeeze(-1).squeeze(-1);
}

Tensor values_norm(const Tensor& x, MatrixNorm order, bool keepdim) {
  const Tensor s = linalg::svdvals(x);
  Tensor result;
  switch (order) {
    case MatrixNorm::kNuclear: result = sum(s, -1); break;
    case MatrixNorm::kTwo: result = max(s, -1); break;
    default: result = min(s, -1);
  }
  return keepdim ? result.unsqueeze(-1).unsqueeze(-1) : result;
}

}  // namespace

namespace linalg {

Tensor matrix_norm(const Tensor& x, MatrixNorm order, bool keepdim) {
  tensor::check_matrices("matrix_norm", x);
  if (x.size(-2) == 0 || x.size(-1) == 0) {
    const bool is_smallest = order == MatrixNorm::kMinusOne || order == MatrixNorm::kMinusTwo ||
                             order == MatrixNorm::kMinusInfinity;
    if (is_smallest) check_smallest("matrix_norm", x);
    return sum(abs(x), {-2, -1}, keepdim);
  }
  switch (order) {
    case MatrixNorm::kFrobenius: return norm(x, 2, {-2, -1}, keepdim);
    case MatrixNorm::kOne: return sums_norm(x, -2, true, keepdim);
    case MatrixNorm::kMinusOne: return sums_norm(x, -2, false, keepdim);
    case MatrixNorm::kInfinity: return sums_norm(x, -1, true, keepdim);
    case MatrixNorm::kMinusInfinity: return sums_norm(x, -1, false, keepdim);
    case MatrixNorm::kNuclear:
    case MatrixNorm::kTwo:
    case MatrixNorm::kMinusTwo: break;
  }
  return values_norm(x, order, keepdim);
}

Tensor vector_norm(const Tensor& x, double order, const Axes& axes, bool keepdim) {
  constexpr const char* kName = "vector_norm";
  tensor::check_dtype_allowed(kName, tensor::kFactored, {"x", tensor::operand_of(kName, x, "x")});
  if (std::isnan(order)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[vector_norm] a bad order: expected a number or infinity, got NaN ({}). Choose an "
                "order.",
                tensor::describe({"x", *x.impl()}));
  }
  static_cast<void>(tensor::resolve_axes(kName, *x.impl(), axes));
  const bool is_empty = x.num_elements() == 0;
  const bool has_name = order == 1 || order == 2 || order == INFINITY;
  if (has_name && !is_empty) return norm(x, order, axes, keepdim);
  const Tensor size = abs(x);
  const bool needs = tensor::needs_grad(x);
  if (is_empty) {
    if (order < 0) check_smallest(kName, x);
    return sum(size, axes, keepdim);
  }
  if (order == 0) {  // steps, whose derivative is 0
    const Tensor count = sum(ne(size, 0).cast(size.dtype()), axes, keepdim);
    return needs ? add(count, sum(mul(where(isfinite(size), size, 0), 0), axes, keepdim)) : count;
  }
  if (order == -INFINITY) return min(size, axes, keepdim);
  return pow(sum(pow(size, order), axes, keepdim), 1 / order);
}

}  // namespace linalg
}  // namespace patchbay

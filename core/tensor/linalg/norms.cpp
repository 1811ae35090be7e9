// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Norms of vectors and matrices.
#include <cmath>

#include "patchbay/linalg.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/tensor/linalg/matrices.h"
#include "core/tensor/ops/reduce.h"

namespace patchbay {
namespace {

/// The largest or the smallest over the axes; of no elements the largest is 0. Errors:
/// kInvalidArgument for the smallest of none, with the operand as it was given.
Tensor extreme(const char* operation, const Tensor& x, const Tensor& sizes, const Axes& axes,
               bool is_largest, bool keepdim) {
  if (tensor::num_reduced(operation, sizes, axes) != 0) {
    return is_largest ? max(sizes, axes, keepdim) : min(sizes, axes, keepdim);
  }
  if (is_largest) return sum(sizes, axes, keepdim);
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] no smallest value of no elements ({}). Choose another order.", operation,
              tensor::describe({"x", *x.impl()}));
}

/// Sums along one dimension, then the largest or the smallest along the other.
Tensor sums_norm(const Tensor& x, int summed, bool is_largest, bool keepdim) {
  const int other = summed == -2 ? -1 : -2;
  const Tensor chosen =
      extreme("matrix_norm", x, sum(abs(x), summed, true), other, is_largest, true);
  return keepdim ? chosen : chosen.squeeze(-1).squeeze(-1);
}

Tensor values_norm(const Tensor& x, MatrixNorm order, bool keepdim) {
  const Tensor s = linalg::svdvals(x);
  const Tensor result = order == MatrixNorm::kNuclear
                            ? sum(s, -1)
                            : extreme("matrix_norm", x, s, -1, order == MatrixNorm::kTwo, false);
  return keepdim ? result.unsqueeze(-1).unsqueeze(-1) : result;
}

}  // namespace

namespace linalg {

Tensor matrix_norm(const Tensor& x, MatrixNorm order, bool keepdim) {
  tensor::check_matrices("matrix_norm", x);
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
  const bool is_empty = tensor::num_reduced(kName, x, axes) == 0;
  const bool has_operator = order == 1 || order == 2 || (order == INFINITY && !is_empty);
  if (has_operator) return norm(x, order, axes, keepdim);
  const Tensor size = abs(x);
  if (std::isinf(order)) return extreme(kName, x, size, axes, order > 0, keepdim);
  if (order == 0) {
    const Tensor count = sum(ne(size, 0).cast(size.dtype()), axes, keepdim);
    if (!tensor::needs_grad(x)) return count;
    // It changes by steps, so its derivative is 0.
    return add(count, sum(mul(abs(where(isfinite(x), x, 0)), 0), axes, keepdim));
  }
  return pow(sum(pow(size, order), axes, keepdim), 1 / order);
}

}  // namespace linalg
}  // namespace patchbay

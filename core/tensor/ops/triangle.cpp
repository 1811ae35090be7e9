// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The triangles of a matrix, or of each matrix of a batch.
#include <algorithm>
#include <cstdint>

#include "patchbay/ops.h"

#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay {
namespace {

enum class Side { kLower, kUpper };

/// The elements on the side of the diagonal, which belongs to it.
Tensor triangle(const char* operation, const Tensor& a, std::int64_t diagonal, Side side) {
  const tensor::TensorImpl& impl = tensor::impl_of(operation, a);
  if (impl.shape.rank() < 2) {
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] not a matrix: expected rank 2 or more, got {} (a: {}). Reshape it.",
                operation, impl.shape.rank(), tensor::describe(impl));
  }
  const std::int64_t num_rows = a.size(-2), num_columns = a.size(-1);
  // Further ones are outside too, and cannot overflow.
  const std::int64_t first = std::clamp(diagonal, -num_rows, num_columns);
  const TensorOptions options{DType::i64, a.device()};
  const Tensor on_it = arange(first, first + num_rows, 1, options).unsqueeze(1);  // of each row
  const Tensor columns = arange(0, num_columns, 1, options);
  return where(side == Side::kLower ? le(columns, on_it) : ge(columns, on_it), a, 0);
}

}  // namespace

Tensor tril(const Tensor& a, Index diagonal) { return triangle("tril", a, diagonal, Side::kLower); }
Tensor triu(const Tensor& a, Index diagonal) { return triangle("triu", a, diagonal, Side::kUpper); }

Tensor trace(const Tensor& a) {
  const tensor::TensorImpl& impl = tensor::operand_of("trace", a);
  if (impl.shape.rank() != 2) {
    base::raise(ErrorCode::kShapeMismatch,
                "[trace] not a matrix: expected rank 2, got {} (a: {}). Use diagonal and sum.",
                impl.shape.rank(), tensor::describe(impl));
  }
  return sum(a.diagonal());
}

}  // namespace patchbay

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The triangles of a matrix, or of each matrix of a batch.
#include <cstdint>

#include "patchbay/ops.h"

#include "core/tensor/dispatch/operands.h"

namespace patchbay {
namespace {

enum class Side { kLower, kUpper };

/// The elements on the side of the diagonal, which belongs to it.
Tensor triangle(const char* operation, const Tensor& a, std::int64_t diagonal, Side side) {
  const tensor::TensorImpl& impl = tensor::impl_of(operation, a);
  if (impl.shape.rank() < 2) {
    runtime::raise(ErrorCode::kShapeMismatch,
                   "[{}] not a matrix: expected rank 2 or more, got {} (a: {}). Reshape it.",
                   operation, impl.shape.rank(), tensor::describe(impl));
  }
  const TensorOptions options{DType::i64, a.device()};
  const Tensor rows = arange(0, a.size(-2), 1, options),
               columns = arange(0, a.size(-1), 1, options);
  const Tensor number = columns - rows.unsqueeze(1);  // of the diagonal
  return where(side == Side::kLower ? le(number, diagonal) : ge(number, diagonal), a, 0);
}

}  // namespace

Tensor tril(const Tensor& a, Index diagonal) { return triangle("tril", a, diagonal, Side::kLower); }
Tensor triu(const Tensor& a, Index diagonal) { return triangle("triu", a, diagonal, Side::kUpper); }

}  // namespace patchbay

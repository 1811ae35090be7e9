// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/base/named.h"

#include <algorithm>

#include <fmt/format.h>

namespace patchbay::tensor {

std::string describe(const TensorImpl& tensor) {
  return fmt::format("{} {} on {}", patchbay::to_string(tensor.dtype), to_string(tensor.shape),
                     tensor.device().info.name_text);
}

std::string describe(const NamedOperand& operand) {
  return fmt::format("{}: {}", operand.name, describe(operand.tensor));
}

void raise_undefined(const char* operation, std::string_view operand) {
  raise(ErrorCode::kInvalidArgument,
        "[{0}] {1} is undefined. Create it first, for example {1} = zeros(shape).", operation,
        operand);
}

namespace {

/// Counts from 0 in a tensor that has, or counts as having, `rank` dimensions.
int resolve(const char* operation, const NamedOperand& operand, int dim, int rank) {
  if (dim >= -rank && dim < rank) [[likely]]
    return dim < 0 ? dim + rank : dim;
  const std::string range =
      rank == 0 ? std::string("none for rank 0")
                : fmt::format("{} to {} for rank {}", -rank, rank - 1, operand.tensor.shape.rank());
  raise(ErrorCode::kInvalidArgument,
        "[{}] dimension {} is out of range: expected {}, got {} ({}). Use a dimension that the "
        "tensor has.",
        operation, dim, range, dim, describe(operand));
}

}  // namespace

int resolve_dim(const char* operation, const NamedOperand& operand, int dim) {
  return resolve(operation, operand, dim, operand.tensor.shape.rank());
}

int resolve_axis(const char* operation, const NamedOperand& operand, int dim) {
  return resolve(operation, operand, dim, std::max(operand.tensor.shape.rank(), 1));
}

}  // namespace patchbay::tensor

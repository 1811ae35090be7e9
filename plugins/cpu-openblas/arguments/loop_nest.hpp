// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A multi-dimensional elementwise operation as few nested loops as its strides allow.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_ARGUMENTS_LOOP_NEST_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_ARGUMENTS_LOOP_NEST_HPP_

#include <cstdint>

#include "patchbay/plugin/types.h"

namespace patchbay::cpu {

/// Up to four operands walked together; operand 0 is the output. Dimensions are in the order of
/// the output's strides, the innermost last; neighbours that all operands walk evenly are one.
struct LoopNest {
  static constexpr int kMaxOperands = 4;

  int num_operands = 0;
  int rank = 0;
  std::int64_t shape[PATCHBAY_MAX_RANK];
  std::int64_t strides[kMaxOperands][PATCHBAY_MAX_RANK];  // in elements

  std::int64_t inner_size() const noexcept { return rank == 0 ? 1 : shape[rank - 1]; }
  std::int64_t inner_stride(int operand) const noexcept {
    if (operand >= num_operands) return 0;
    return rank == 0 ? 1 : strides[operand][rank - 1];
  }
  /// The number of times the inner loop runs.
  std::int64_t num_rows() const noexcept;
  /// The element offsets of row number `row` for each operand.
  void offsets_of(std::int64_t row, std::int64_t* offsets) const noexcept;
};

/// Broadcasts `operands[1...]` to the shape of `operands[0]`: missing leading dimensions and
/// extents of 1 repeat. Operands that are no tensors repeat their one element. No extent may be 0.
LoopNest make_loop_nest(const patchbay_argument* const* operands, int num_operands) noexcept;

/// Sorts and merges in place. Operand 0 decides the order.
void collapse(LoopNest& nest) noexcept;

/// Merges neighbours in the order they are in.
void merge_neighbours(LoopNest& nest) noexcept;

/// Walks rows of a nest in order without a division a row.
class RowCursor {
 public:
  RowCursor(const LoopNest& nest, std::int64_t row) noexcept;
  const std::int64_t* offsets() const noexcept { return offsets_; }
  void next() noexcept;

 private:
  const LoopNest& nest_;
  std::int64_t index_[PATCHBAY_MAX_RANK];
  std::int64_t offsets_[LoopNest::kMaxOperands];
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_ARGUMENTS_LOOP_NEST_HPP_

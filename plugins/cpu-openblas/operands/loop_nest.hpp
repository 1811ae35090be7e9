// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Creates and walks the loop nests of this plugin's operators.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_OPERANDS_LOOP_NEST_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_OPERANDS_LOOP_NEST_HPP_

#include <cstdint>

#include "kit/loop_nest.hpp"

namespace patchbay::cpu {

using LoopNest = patchbay::LoopNest<4>;

/// Broadcasts `operands[1...]` to the shape of `operands[0]`: missing leading dimensions and
/// extents of 1 repeat, as do scalars. No extent may be 0.
LoopNest make_loop_nest(const patchbay_argument* const* operands, int num_operands) noexcept;

/// The element offsets of row number `row` for each operand.
void offsets_of(const LoopNest& nest, std::int64_t row, std::int64_t* offsets) noexcept;

/// Visits the rows of a nest in order, without a division per row.
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

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_OPERANDS_LOOP_NEST_HPP_

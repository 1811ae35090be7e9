// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/operands/loop_nest.hpp"

namespace patchbay::cpu {

LoopNest make_loop_nest(const patchbay_argument* const* operands, int num_operands) noexcept {
  const patchbay_argument& out = *operands[0];
  LoopNest nest(num_operands);
  for (int d = 0; d < out.rank; ++d) {
    nest.add(out.shape[d], [&](int op) -> std::int64_t {
      const patchbay_argument& x = *operands[op];
      const int own = x.kind == PATCHBAY_TENSOR ? d - (out.rank - x.rank) : -1;
      return own < 0 || x.shape[own] == 1 ? 0 : x.strides[own];
    });
  }
  nest.collapse();
  return nest;
}

void offsets_of(const LoopNest& nest, std::int64_t row, std::int64_t* offsets) noexcept {
  for (int op = 0; op < nest.num_operands; ++op) offsets[op] = 0;
  for (int d = nest.rank - 2; d >= 0; --d) {
    const std::int64_t index = row % nest.shape[d];
    row /= nest.shape[d];
    for (int op = 0; op < nest.num_operands; ++op) offsets[op] += index * nest.strides[op][d];
  }
}

RowCursor::RowCursor(const LoopNest& nest, std::int64_t row) noexcept : nest_(nest) {
  offsets_of(nest, row, offsets_);
  for (int d = nest.rank - 2; d >= 0; --d) {
    index_[d] = row % nest.shape[d];
    row /= nest.shape[d];
  }
}

void RowCursor::next() noexcept {
  for (int d = nest_.rank - 2; d >= 0; --d) {
    for (int op = 0; op < nest_.num_operands; ++op) offsets_[op] += nest_.strides[op][d];
    if (++index_[d] < nest_.shape[d]) return;
    index_[d] = 0;
    for (int op = 0; op < nest_.num_operands; ++op) {
      offsets_[op] -= nest_.strides[op][d] * nest_.shape[d];
    }
  }
}

}  // namespace patchbay::cpu

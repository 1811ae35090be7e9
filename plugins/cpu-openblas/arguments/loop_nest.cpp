// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/arguments/loop_nest.hpp"

#include <utility>

namespace patchbay::cpu {
namespace {

void swap_dims(LoopNest& nest, int a, int b) {
  std::swap(nest.shape[a], nest.shape[b]);
  for (int op = 0; op < nest.num_operands; ++op)
    std::swap(nest.strides[op][a], nest.strides[op][b]);
}

/// Whether dimension `a` belongs inside dimension `b`: smaller strides of the output, then of the
/// inputs.
bool is_inner(const LoopNest& nest, int a, int b) {
  for (int op = 0; op < nest.num_operands; ++op) {
    if (nest.strides[op][a] != nest.strides[op][b])
      return nest.strides[op][a] < nest.strides[op][b];
  }
  return false;
}

bool can_merge(const LoopNest& nest, int outer, int inner) {
  for (int op = 0; op < nest.num_operands; ++op) {
    if (nest.strides[op][outer] != nest.strides[op][inner] * nest.shape[inner]) return false;
  }
  return true;
}

}  // namespace

std::int64_t LoopNest::num_rows() const noexcept {
  std::int64_t rows = 1;
  for (int d = 0; d + 1 < rank; ++d) rows *= shape[d];
  return rows;
}

void LoopNest::offsets_of(std::int64_t row, std::int64_t* offsets) const noexcept {
  for (int op = 0; op < num_operands; ++op) offsets[op] = 0;
  for (int d = rank - 2; d >= 0; --d) {
    const std::int64_t index = row % shape[d];
    row /= shape[d];
    for (int op = 0; op < num_operands; ++op) offsets[op] += index * strides[op][d];
  }
}

LoopNest make_loop_nest(const patchbay_argument* const* operands, int num_operands) noexcept {
  const patchbay_argument& out = *operands[0];
  LoopNest nest;
  nest.num_operands = num_operands;
  for (int d = 0; d < out.rank; ++d) {
    if (out.shape[d] == 1) continue;
    nest.shape[nest.rank] = out.shape[d];
    for (int op = 0; op < num_operands; ++op) {
      const patchbay_argument& x = *operands[op];
      const int own = x.kind == PATCHBAY_TENSOR ? d - (out.rank - x.rank) : -1;
      nest.strides[op][nest.rank] = own < 0 || x.shape[own] == 1 ? 0 : x.strides[own];
    }
    ++nest.rank;
  }
  collapse(nest);
  return nest;
}

void collapse(LoopNest& nest) noexcept {
  for (int d = 1; d < nest.rank; ++d) {
    for (int e = d; e > 0 && is_inner(nest, e - 1, e); --e) swap_dims(nest, e - 1, e);
  }
  merge_neighbours(nest);
}

void merge_neighbours(LoopNest& nest) noexcept {
  int last = 0;  // the dimension that later ones are merged into
  for (int d = 1; d < nest.rank; ++d) {
    if (can_merge(nest, last, d)) {
      nest.shape[last] *= nest.shape[d];
      for (int op = 0; op < nest.num_operands; ++op) nest.strides[op][last] = nest.strides[op][d];
    } else {
      ++last;
      if (last != d) swap_dims(nest, last, d);
    }
  }
  if (nest.rank > 0) nest.rank = last + 1;
}

RowCursor::RowCursor(const LoopNest& nest, std::int64_t row) noexcept : nest_(nest) {
  nest.offsets_of(row, offsets_);
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

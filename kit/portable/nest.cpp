// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/nest.hpp"

#include <algorithm>

namespace patchbay::portable {
namespace {

bool can_merge(const Dim& outer, const Dim& inner) {
  for (std::size_t k = 0; k < inner.strides.size(); ++k) {
    if (outer.strides[k] != inner.strides[k] * inner.size) return false;
  }
  return true;
}

}  // namespace

std::int64_t Nest::num_elements() const {
  std::int64_t count = 1;
  for (int i = 0; i < rank; ++i) count *= at(i).size;
  return count;
}

void Nest::merge() {
  Nest merged;
  for (int i = 0; i < rank; ++i) {
    const Dim& dim = at(i);
    if (dim.size == 1) continue;
    if (merged.rank == 0 || !can_merge(merged.at(merged.rank - 1), dim)) {
      merged.add(dim);
      continue;
    }
    Dim& last = merged.at(merged.rank - 1);
    last = {last.size * dim.size, dim.strides};
  }
  *this = merged;
}

void Nest::sort(std::size_t first) {
  const auto is_outer = [first](const Dim& a, const Dim& b) {
    for (std::size_t k = 0; k < a.strides.size(); ++k) {
      const std::size_t operand = (first + k) % a.strides.size();
      if (a.strides[operand] != b.strides[operand]) return a.strides[operand] > b.strides[operand];
    }
    return false;
  };
  std::stable_sort(dims.begin(), dims.begin() + rank, is_outer);
}

}  // namespace patchbay::portable

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/expression/walk.hpp"

#include <algorithm>

namespace patchbay::expression {
namespace {

using Dim = Walk::Dim;

bool is_outer(const Dim& a, const Dim& b, std::size_t num_tensors) {
  for (std::size_t t = 0; t < num_tensors; ++t) {
    if (a.strides[t] != b.strides[t]) return a.strides[t] > b.strides[t];
  }
  return false;
}

bool can_merge(const Dim& outer, const Dim& inner, std::size_t num_tensors) {
  for (std::size_t t = 0; t < num_tensors; ++t) {
    if (outer.strides[t] != inner.strides[t] * inner.size) return false;
  }
  return true;
}

}  // namespace

Walk::Walk(plugin::Arguments tensors) : num_tensors(tensors.size()) {
  const patchbay_argument& like = tensors[0];
  for (std::size_t d = 0; d < like.rank; ++d) {
    if (like.shape[d] == 1) continue;
    Dim dim;
    dim.size = like.shape[d];
    for (std::size_t t = 0; t < num_tensors; ++t) dim.strides[t] = tensors[t].strides[d];
    std::size_t at = rank++;  // insertion keeps the order of equal strides
    for (; at > 0 && is_outer(dim, dims[at - 1], num_tensors); --at) dims[at] = dims[at - 1];
    dims[at] = dim;
  }
  std::size_t kept = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    if (kept != 0 && can_merge(dims[kept - 1], dims[d], num_tensors)) {
      const std::int64_t size = dims[kept - 1].size;
      dims[kept - 1] = dims[d];
      dims[kept - 1].size *= size;
    } else {
      if (kept != d) dims[kept] = dims[d];
      ++kept;
    }
  }
  rank = kept;
}

bool Walk::is_dense() const {
  if (rank == 0) return true;
  return rank == 1 && std::all_of(dims[0].strides, dims[0].strides + num_tensors,
                                  [](std::int64_t stride) { return stride == 1; });
}

}  // namespace patchbay::expression

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/base/iteration.h"

#include <cstdint>

namespace patchbay::tensor {

void Iteration::add(const Shape& shape, const Shape& strides) {
  Shape& mine = strides_[static_cast<std::size_t>(num_tensors_++)];
  mine = extents_;
  const int missing = rank() - shape.rank();
  for (int i = 0; i < rank(); ++i) {
    const bool repeats = i < missing || (shape[i - missing] == 1 && extents_[i] != 1);
    mine[i] = repeats ? 0 : strides[i - missing];
  }
}

void Iteration::sort() {
  // An insertion sort: at most eight entries, and dimensions of equal strides keep their order.
  for (int i = 1; i < rank(); ++i) {
    int to = i;
    while (to > 0 && strides_[0][to - 1] < strides_[0][i]) --to;
    move(i, to);
  }
}

void Iteration::move(int from, int to) {
  if (from == to) return;
  const auto shift = [&](Shape& values) {
    const std::int64_t value = values[from];
    values.erase(from);
    values.insert(to, value);
  };
  shift(extents_);
  for (int t = 0; t < num_tensors_; ++t) shift(strides_[static_cast<std::size_t>(t)]);
}

bool Iteration::can_merge(int outer, int inner) const {
  for (int t = 0; t < num_tensors_; ++t) {
    if (strides(t)[outer] != strides(t)[inner] * extents_[inner]) return false;
  }
  return true;
}

void Iteration::collapse() {
  int last = -1;  // the last dimension that was kept
  for (int i = 0; i < rank(); ++i) {
    if (extents_[i] == 1) continue;
    const std::int64_t merged = last >= 0 && can_merge(last, i) ? extents_[last] : 1;
    if (merged == 1) ++last;
    extents_[last] = merged * extents_[i];
    for (int t = 0; t < num_tensors_; ++t) {
      Shape& strides = strides_[static_cast<std::size_t>(t)];
      strides[last] = strides[i];
    }
  }
  const auto cut = [&](Shape& values, std::int64_t lone) {
    if (last < 0) values = Shape{lone};
    while (values.rank() > last + 1 && values.rank() > 1) values.erase(values.rank() - 1);
  };
  cut(extents_, 1);
  for (int t = 0; t < num_tensors_; ++t) cut(strides_[static_cast<std::size_t>(t)], 1);
}

}  // namespace patchbay::tensor

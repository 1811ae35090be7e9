// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a kernel sees of its arguments, and the one loop that all kernels are made of.
#ifndef PATCHBAY_PLUGINS_FAKE_KERNELS_VIEW_HPP_
#define PATCHBAY_PLUGINS_FAKE_KERNELS_VIEW_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "patchbay/plugin/types.h"

namespace fake {

/// A tensor in the device's own memory. A scalar is a tensor of the shape of argument 0 whose
/// strides are 0, so that no kernel needs to tell them apart.
struct View {
  std::byte* data = nullptr;
  std::uint8_t dtype = 0;
  int rank = 0;
  std::array<std::int64_t, PATCHBAY_MAX_RANK> shape{};
  std::array<std::int64_t, PATCHBAY_MAX_RANK> strides{};  // in elements

  template <class T>
  T* elements() const {
    return reinterpret_cast<T*>(data);
  }
};
using Views = std::span<const View>;

/// Calls body(at) for each index of views[0] in row-major order; at[k] is the place of that
/// element in views[k].
template <std::size_t N, class Body>
void for_each(const std::array<const View*, N>& views, Body body) {
  const View& like = *views[0];
  for (int d = 0; d < like.rank; ++d) {
    if (like.shape[static_cast<std::size_t>(d)] == 0) return;
  }
  std::array<std::int64_t, PATCHBAY_MAX_RANK> index{};
  std::array<std::int64_t, N> at{};
  for (;;) {
    body(at);
    int dim = like.rank - 1;
    for (; dim >= 0; --dim) {
      const auto d = static_cast<std::size_t>(dim);
      for (std::size_t k = 0; k < N; ++k) at[k] += views[k]->strides[d];
      if (++index[d] < like.shape[d]) break;
      for (std::size_t k = 0; k < N; ++k) at[k] -= views[k]->strides[d] * like.shape[d];
      index[d] = 0;
    }
    if (dim < 0) return;
  }
}

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_KERNELS_VIEW_HPP_

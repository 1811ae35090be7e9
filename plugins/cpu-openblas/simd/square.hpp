// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Transposes a small square of elements in registers.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_SQUARE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_SQUARE_HPP_

#include "cpu-openblas/simd/target.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

template <int... kIndices>
struct Lanes {};
template <int kCount, int... kIndices>
struct MakeLanes : MakeLanes<kCount - 1, kCount - 1, kIndices...> {};
template <int... kIndices>
struct MakeLanes<0, kIndices...> {
  using type = Lanes<kIndices...>;
};

/// Transposes a square of as many vectors as a vector has elements, by exchanging ever smaller
/// off-diagonal blocks.
template <class T, int kBytes = kVectorBytes>
struct Square {
  static constexpr int kSize = kBytes / int{sizeof(T)};
  typedef T Vector __attribute__((vector_size(kBytes)));

  Vector row[kSize];

  template <int kHalf, int... i>
  static void exchange(Vector& a, Vector& b, Lanes<i...>) {
    const Vector first = __builtin_shufflevector(a, b, ((i & kHalf) ? kSize + i - kHalf : i)...);
    b = __builtin_shufflevector(a, b, ((i & kHalf) ? kSize + i : i + kHalf)...);
    a = first;
  }

  template <int kHalf>
  void turn() {
    for (int i = 0; i < kSize; ++i) {
      if ((i & kHalf) == 0) {
        exchange<kHalf>(row[i], row[i + kHalf], typename MakeLanes<kSize>::type());
      }
    }
    if constexpr (kHalf > 1) turn<kHalf / 2>();
  }
};

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_SQUARE_HPP_

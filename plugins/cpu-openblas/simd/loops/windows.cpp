// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The largest elements of neighbouring windows.
#include "cpu-openblas/simd/target.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

/// kStep: known to the compiler, or 0.
template <class T, std::int64_t kStep>
inline void keep_most(std::int64_t n, T* __restrict most, std::int32_t* __restrict places,
                      const T* __restrict from, std::int64_t given_step, std::int32_t place) {
  const std::int64_t step = kStep != 0 ? kStep : given_step;
  PATCHBAY_VECTORISE
  for (std::int64_t k = 0; k < n; ++k) {
    const T value = from[k * step], before = most[k];
    // NaN is taken unless there is one already.
    const bool is_taken = (value > before) | ((value != value) & (before == before));
    most[k] = is_taken ? value : before;
    places[k] = is_taken ? place + static_cast<std::int32_t>(k * step) : places[k];
  }
}

template <class T>
KeepMost loop_of() {
  return [](std::int64_t n, void* most, std::int32_t* places, const void* from, std::int64_t step,
            std::int32_t place) {
    T* const kept = static_cast<T*>(most);
    const T* const elements = static_cast<const T*>(from);
    if (step == 1) return keep_most<T, 1>(n, kept, places, elements, 1, place);
    if (step == 2) return keep_most<T, 2>(n, kept, places, elements, 2, place);
    keep_most<T, 0>(n, kept, places, elements, step, place);
  };
}

}  // namespace

void fill_windows(SimdTable& table) {
  table.keep_most[PATCHBAY_F32] = loop_of<float>();
  table.keep_most[PATCHBAY_F64] = loop_of<double>();
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD

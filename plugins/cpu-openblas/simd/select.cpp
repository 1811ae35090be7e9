// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "target.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

template <class T, int kStepA, int kStepB>
inline void select_loop(std::int64_t n, T* out, const std::uint8_t* condition, const T* a,
                        const T* b) {
  PATCHBAY_VECTORISE
  for (std::int64_t i = 0; i < n; ++i) {
    // Both are read, so that there is no branch.
    const T x = a[i * kStepA], y = b[i * kStepB];
    out[i] = condition[i] != 0 ? x : y;
  }
}

template <class T>
void select(std::int64_t n, void* out, const void* condition, const void* a, const void* b,
            std::int64_t step_a, std::int64_t step_b) {
  T* const o = static_cast<T*>(out);
  const auto* const c = static_cast<const std::uint8_t*>(condition);
  const T* const x = static_cast<const T*>(a);
  const T* const y = static_cast<const T*>(b);
  if (step_a != 0 && step_b != 0) {
    select_loop<T, 1, 1>(n, o, c, x, y);
  } else if (step_a != 0) {
    const T value = *y;
    select_loop<T, 1, 0>(n, o, c, x, &value);
  } else if (step_b != 0) {
    const T value = *x;
    select_loop<T, 0, 1>(n, o, c, &value, y);
  } else {
    const T first = *x, second = *y;
    select_loop<T, 0, 0>(n, o, c, &first, &second);
  }
}

}  // namespace

void fill_select(SimdTable& table) {
  table.select[PATCHBAY_F32] = table.select[PATCHBAY_I32] = select<std::uint32_t>;
  table.select[PATCHBAY_F64] = table.select[PATCHBAY_I64] = select<std::uint64_t>;
  table.select[PATCHBAY_U8] = table.select[PATCHBAY_BOOL] = select<std::uint8_t>;
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD

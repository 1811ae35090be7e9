// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Converts the expressions of the elementwise table to operations on one element.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_EXPRESSIONS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_EXPRESSIONS_HPP_

#include "patchbay/plugin/kernels/operators.h"

#include "functions.hpp"
#include "rows.hpp"

// The table uses C casts.
#pragma GCC diagnostic ignored "-Wold-style-cast"

#define PATCHBAY_DIVIDE(a, b) ((a) / (b))
#define PATCHBAY_SQRT(a) sqrt(a)
#undef PATCHBAY_SELECT
#define PATCHBAY_SELECT(condition, x, y) select(condition, x, y)

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

using Bool = std::uint8_t;

/// Replaces a missing expression; never evaluated.
constexpr int NONE = 0;

/// Calls set(value of T) for each type in a set of dtypes.
template <class Set>
void for_FLOATS(Set set) {
  set(float{});
  set(double{});
}
static_assert(PATCHBAY_SET_WIDE_NUMBERS == (PATCHBAY_SET_WIDE_FLOATS | PATCHBAY_BIT(I32) |
                                            PATCHBAY_BIT(I64) | PATCHBAY_BIT(U8)));
template <class Set>
void for_NUMBERS(Set set) {
  for_FLOATS(set);
  set(std::int32_t{});
  set(std::int64_t{});
  set(std::uint8_t{});
}

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_EXPRESSIONS_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The factorizations and their sizes, without functions of the standard library: loops for several
// instruction sets include this.
#ifndef PATCHBAY_KIT_FACTOR_SIZES_HPP_
#define PATCHBAY_KIT_FACTOR_SIZES_HPP_

#include <cstddef>
#include <cstdint>

#include "patchbay/plugin/kernels/operators.h"

namespace patchbay {

/// The operators of PATCHBAY_OPERATORS_FACTOR.
#define PATCHBAY_FACTOR_NAME(name, ...) name,
enum class Factor : std::uint8_t { PATCHBAY_OPERATORS_FACTOR(PATCHBAY_FACTOR_NAME) };
#undef PATCHBAY_FACTOR_NAME
#define PATCHBAY_FACTOR_COUNTED(...) +1
inline constexpr std::size_t kNumFactors = 0 PATCHBAY_OPERATORS_FACTOR(PATCHBAY_FACTOR_COUNTED);
#undef PATCHBAY_FACTOR_COUNTED

/// `step` and `row`: the elements from one matrix, and from one row, to the next, for each operand.
/// The texts of portable/texts/factors have the same struct.
struct FactorSizes {
  std::int64_t count = 0, m = 0, n = 0;
  std::int64_t upper = 0, adjoint = 0, unit = 0, vectors = 1;
  std::int64_t step[6] = {}, row[6] = {};
};

}  // namespace patchbay

#endif  // PATCHBAY_KIT_FACTOR_SIZES_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Converts matrix products to the form for kernels and libraries, with row-major results.
#ifndef PATCHBAY_KIT_PORTABLE_BASE_GEMM_PROBLEM_HPP_
#define PATCHBAY_KIT_PORTABLE_BASE_GEMM_PROBLEM_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "kit/portable/base/dtypes.hpp"

namespace patchbay::portable {

/// The kernels' struct. Strides are in elements; `..._next` leads to the next product.
struct GemmSizes {
  std::int64_t m, n, k;
  std::int64_t a_row, a_column;
  std::int64_t b_row, b_column;
  std::int64_t out_row;
  std::int64_t count;
  std::int64_t a_next, b_next, out_next;
};

/// `sizes.count` products at equal distances.
struct GemmProblem {
  GemmSizes sizes{};
  plugin::Memory out{}, a{}, b{};
};

/// The dtype of a checked spec. Throws unsupported if the texts or the device lack it.
std::uint8_t check_gemm(Specs specs, const Traits& traits);

/// Matrices (rank 2) at equal distances, in elements.
struct GemmSeries {
  patchbay_argument out, a, b;
  std::int64_t count, out_next, a_next, b_next;
};

/// Splits a launch into series along the longest batch dimension, one for each index of the others.
/// Without a batch there is one series of one product; for an empty batch, none. With alpha 0 the
/// depth k is 0, so a and b are not read. Throws invalid_argument if the shapes do not match.
std::vector<GemmSeries> gemm_series(plugin::Arguments arguments);

/// Splits a launch into products with row-major results: a column-major one is transposed. If the
/// depth is 0, a and b are `out`, because a buffer is needed. Empty if the result is empty.
std::vector<GemmProblem> gemm_problems(plugin::Arguments arguments);

/// Defines T (values, sums and products), STORED (elements), LOAD(element) and STORE(value).
std::string gemm_definitions(std::uint8_t dtype);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_BASE_GEMM_PROBLEM_HPP_

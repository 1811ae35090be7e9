// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrix products as kernels and libraries want them: the results by rows.
#ifndef PATCHBAY_KIT_PORTABLE_GEMM_PROBLEM_HPP_
#define PATCHBAY_KIT_PORTABLE_GEMM_PROBLEM_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "kit/portable/dtypes.hpp"

namespace patchbay::portable {

/// The kernels' struct; strides in elements. `..._next`: from one product to the next.
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

/// Matrices (rank 2) at equal distances in elements.
struct GemmSeries {
  patchbay_argument out, a, b;
  std::int64_t count, out_next, a_next, b_next;
};

/// The arguments of a launch as series along the longest dimension of the batch, one for each index
/// of the others. Without a batch: one series of one. None if the batch is empty. With alpha 0 the
/// depth k is 0, so that a and b are not read. Throws invalid_argument if the shapes do not fit.
std::vector<GemmSeries> gemm_series(plugin::Arguments arguments);

/// The arguments of a launch with the result stored by rows: one stored by columns is the
/// transposed product. Where there is nothing to multiply, a and b are `out`, which is some buffer.
/// None if the result is empty.
std::vector<GemmProblem> gemm_problems(plugin::Arguments arguments);

/// T, in which products and sums are computed, STORED, of elements, LOAD(element), STORE(value).
std::string gemm_definitions(std::uint8_t dtype);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_GEMM_PROBLEM_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One matrix product as kernels and libraries want it: the result by rows.
#ifndef PATCHBAY_PLUGINS_COMMON_PORTABLE_GEMM_PROBLEM_HPP_
#define PATCHBAY_PLUGINS_COMMON_PORTABLE_GEMM_PROBLEM_HPP_

#include <cstdint>
#include <string>

#include "common/portable/dtypes.hpp"

namespace patchbay::portable {

/// The kernels' struct; strides in elements.
struct GemmSizes {
  std::int64_t m, n, k;
  std::int64_t a_row, a_column;
  std::int64_t b_row, b_column;
  std::int64_t out_row;
};

struct GemmProblem {
  GemmSizes sizes{};
  plugin::Memory out{}, a{}, b{};
};

/// Throws unsupported unless they are those of gemm.1 in one dtype, which it gives.
std::uint8_t check_gemm(Specs specs, const Traits& traits);

/// The arguments of a launch with the result stored by rows: one stored by columns is the
/// transposed product. Where there is nothing to multiply, a and b are `out`, which is some buffer.
GemmProblem gemm_problem(plugin::Arguments arguments);

/// The type in which products and sums of the dtype wrap around, if it is one of integers.
std::string gemm_type(std::uint8_t dtype);

}  // namespace patchbay::portable

#endif  // PATCHBAY_PLUGINS_COMMON_PORTABLE_GEMM_PROBLEM_HPP_

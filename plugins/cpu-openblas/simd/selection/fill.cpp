// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/simd/target.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {

void fill(SimdTable& table) {
  fill_arithmetic(table);
  fill_choice(table);
  fill_compare(table);
  fill_unary(table);
  fill_cast(table);
  fill_move(table);
  fill_reduce(table);
  fill_arg_reduce(table);
  fill_integer_gemm(table);
  fill_float_gemm(table);
  fill_random(table);
  fill_factors(table);
  fill_fft(table);
  fill_softmax(table);
  fill_windows(table);
  fill_winograd(table);
  fill_direct(table);
  fill_product_sum(table);
  fill_normalize(table);
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD

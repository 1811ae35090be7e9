// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of floats with OpenBLAS, if the user selects it.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_BLAS_PRODUCT_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_BLAS_PRODUCT_HPP_

#include <cstdint>

#include "cpu-openblas/products/gemm.hpp"
#include "cpu-openblas/products/symbols.hpp"

namespace patchbay::cpu {

/// Whether the extents and leading dimensions of a normalised problem fit BLAS's int.
bool fits_blas(const GemmProblem& problem) noexcept;

/// Calls the library once, for f32 or f64; it uses its own threads.
void multiply_by_blas(const Blas& blas, std::uint8_t dtype, const GemmProblem& problem,
                      const void* alpha, const void* beta) noexcept;

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_BLAS_PRODUCT_HPP_

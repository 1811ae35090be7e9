// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values with the LAPACK that is in OpenBLAS.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_FACTORS_LAPACK_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_FACTORS_LAPACK_HPP_

#include <array>
#include <cstdint>

#include "cpu-openblas/products/blas.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "kit/factors.hpp"

namespace patchbay::cpu {

/// Whether the library has the function, and its int holds the extents.
bool has_lapack(const Blas& blas, const FactorPlan& plan, std::uint8_t dtype,
                const FactorSizes& sizes) noexcept;

/// Computes eigh.1 or svd.1 of all matrices, one after the other; the library uses its own threads.
/// Throws PATCHBAY_OUT_OF_MEMORY.
void factor_by_lapack(const Blas& blas, ScratchPool& scratch, const FactorPlan& plan,
                      std::uint8_t dtype, const FactorSizes& sizes,
                      const std::array<void*, 6>& operands);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_FACTORS_LAPACK_HPP_

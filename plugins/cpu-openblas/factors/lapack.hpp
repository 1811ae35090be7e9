// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values with LAPACK.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_FACTORS_LAPACK_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_FACTORS_LAPACK_HPP_

#include <array>
#include <cstdint>

#include "cpu-openblas/products/lapack.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "kit/factors.hpp"

namespace patchbay::cpu {

/// Whether the library has the function, and its int holds the extents.
bool has_lapack(const LapackEntries& entries, const FactorPlan& plan, std::uint8_t dtype,
                const FactorSizes& sizes) noexcept;

/// Computes eigh.1, svd.1 or eig.1 of matrices `begin` to `end` - 1, one after the other. Throws
/// PATCHBAY_OUT_OF_MEMORY.
void factor_by_lapack(const LapackEntries& entries, ScratchPool& scratch, const FactorPlan& plan,
                      std::uint8_t dtype, const FactorSizes& sizes,
                      const std::array<void*, 6>& operands, std::int64_t begin, std::int64_t end);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_FACTORS_LAPACK_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Selects the build of the loops for this processor.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_SELECTION_SELECTION_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_SELECTION_SELECTION_HPP_

#include <optional>
#include <string>

#include "cpu-openblas/simd/table.hpp"

namespace patchbay::cpu {

/// The best table for this processor, up to `most` ("avx2"). Throws if no table has that name.
SimdTable choose_simd_table(const std::optional<std::string>& most);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_SELECTION_SELECTION_HPP_

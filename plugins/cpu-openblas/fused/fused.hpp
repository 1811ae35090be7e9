// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fused elementwise expressions. They run the loops of the single operators on tiles in the
// first-level cache, so memory is traversed once and every bit equals that of the single operators.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_FUSED_FUSED_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_FUSED_FUSED_HPP_

#include <memory>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/products/libraries.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {

/// Loads a module of the format PATCHBAY_FORMAT_EXPRESSION.
std::unique_ptr<plugin::Module> load_fused(std::string_view code, Workers& workers,
                                           const Libraries& libraries);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_FUSED_FUSED_HPP_

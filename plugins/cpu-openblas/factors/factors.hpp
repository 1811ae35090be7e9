// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_FACTORS_FACTORS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_FACTORS_FACTORS_HPP_

#include <memory>

#include "cpu-openblas/kernels/context.hpp"

namespace patchbay::cpu {

/// The kernel of any operator of PATCHBAY_OPERATORS_FACTOR.
std::unique_ptr<plugin::Kernel> prepare_factor(const Context& context);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_FACTORS_FACTORS_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Makes the kernels of operators on windows.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_WINDOWS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_WINDOWS_HPP_

#include <memory>

#include "cpu-openblas/kernels/context.hpp"

namespace patchbay::cpu {

#define PATCHBAY_DECLARED(name, ...) \
  std::unique_ptr<plugin::Kernel> prepare_##name(const Context& context);
PATCHBAY_OPERATORS_WINDOW(PATCHBAY_DECLARED)
#undef PATCHBAY_DECLARED

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_WINDOWS_HPP_

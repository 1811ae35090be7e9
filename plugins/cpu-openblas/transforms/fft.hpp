// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_TRANSFORMS_FFT_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_TRANSFORMS_FFT_HPP_

#include <memory>

#include "cpu-openblas/kernels/context.hpp"

namespace patchbay::cpu {

std::unique_ptr<plugin::Kernel> prepare_fft(const Context& context);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_TRANSFORMS_FFT_HPP_

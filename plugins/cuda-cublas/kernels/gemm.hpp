// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_GEMM_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_GEMM_HPP_

#include <memory>

#include "patchbay/plugin/kit/objects.hpp"

namespace patchbay::cuda {

class Device;

/// gemm.1 of f32 and f64 with the BLAS library. Null for other specs, or if there is no library.
std::unique_ptr<plugin::Kernel> prepare_gemm(Device& device, const patchbay_kernel_spec& spec);

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_GEMM_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrix products on devices whose work-items are threads with vector registers.
#ifndef PATCHBAY_PLUGINS_OPENCL_KERNELS_GEMM_BLOCKS_HPP_
#define PATCHBAY_PLUGINS_OPENCL_KERNELS_GEMM_BLOCKS_HPP_

#include <cstdint>
#include <memory>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/portable/backend.hpp"
#include "opencl/device/device.hpp"

namespace patchbay::opencl {

/// For specs of gemm.1. Throws `unsupported` with the reason.
std::unique_ptr<plugin::Kernel> prepare_gemm_blocks(const Device& device,
                                                    const portable::Traits& traits,
                                                    plugin::Host host,
                                                    const patchbay_kernel_spec& spec);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_KERNELS_GEMM_BLOCKS_HPP_

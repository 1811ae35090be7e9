// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_KERNELS_OPERATORS_HPP_
#define PATCHBAY_PLUGINS_OPENCL_KERNELS_OPERATORS_HPP_

#include <memory>

#include "patchbay/plugin/kit/objects.hpp"

#include "opencl/kernels/backend.hpp"

namespace patchbay::opencl {

/// The kernel for a spec: products by blocks on CPUs, else a portable operator. Throws
/// `unsupported` with the reason.
std::unique_ptr<plugin::Kernel> prepare_operator(const Device& device, Backend& backend,
                                                 plugin::Host host,
                                                 const patchbay_kernel_spec& spec);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_KERNELS_OPERATORS_HPP_

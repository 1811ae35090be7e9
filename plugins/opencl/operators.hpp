// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_OPERATORS_HPP_
#define PATCHBAY_PLUGINS_OPENCL_OPERATORS_HPP_

#include <memory>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "device.hpp"

namespace patchbay::opencl {

/// The kernel for a spec, whichever family its operator is of. Throws `unsupported` with the
/// reason.
std::unique_ptr<plugin::Kernel> prepare_operator(const Device& device, plugin::Host host,
                                                 const patchbay_kernel_spec& spec);

// The families; null for an operator of another one.
std::unique_ptr<plugin::Kernel> prepare_elementwise(const Device& device, plugin::Host host,
                                                    const patchbay_kernel_spec& spec);
std::unique_ptr<plugin::Kernel> prepare_reduction(const Device& device, plugin::Host host,
                                                  const patchbay_kernel_spec& spec);
std::unique_ptr<plugin::Kernel> prepare_gemm(const Device& device, plugin::Host host,
                                             const patchbay_kernel_spec& spec);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_OPERATORS_HPP_

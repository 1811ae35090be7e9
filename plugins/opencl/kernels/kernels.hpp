// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The kernels of a device.
#ifndef PATCHBAY_PLUGINS_OPENCL_KERNELS_KERNELS_HPP_
#define PATCHBAY_PLUGINS_OPENCL_KERNELS_KERNELS_HPP_

#include <memory>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/portable/base/backend.hpp"
#include "opencl/context/context.hpp"

namespace patchbay::opencl {

/// Runs the portable operators.
portable::Backend make_backend(const Context& context, plugin::Host host);

/// Matrix products on devices whose work-items are threads with vector registers, for specs of
/// gemm.1. Throws `unsupported` with the reason.
std::unique_ptr<plugin::Kernel> prepare_gemm_blocks(const Context& context,
                                                    const portable::Traits& traits,
                                                    plugin::Host host,
                                                    const patchbay_kernel_spec& spec);

/// Users' kernels. Compiles the text, or loads it from the host's cache. Throws
/// PATCHBAY_BUILD_FAILED with the driver's log, `unsupported` for another format.
std::unique_ptr<plugin::Module> load_module(const Context& context, plugin::Host host,
                                            std::string_view format, std::string_view code);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_KERNELS_KERNELS_HPP_

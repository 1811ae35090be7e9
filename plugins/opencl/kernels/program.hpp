// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A compiled kernel text for one device.
#ifndef PATCHBAY_PLUGINS_OPENCL_KERNELS_PROGRAM_HPP_
#define PATCHBAY_PLUGINS_OPENCL_KERNELS_PROGRAM_HPP_

#include <string_view>

#include "patchbay/plugin/kit/host.hpp"

#include "opencl/api/handle.hpp"
#include "opencl/context/context.hpp"

namespace patchbay::opencl {

/// Builds the dialect's header and the text, or loads an earlier build by the same driver from the
/// host's cache. Throws PATCHBAY_BUILD_FAILED with the compiler's log.
ProgramHandle build_program(const Context& context, plugin::Host host, std::string_view text);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_KERNELS_PROGRAM_HPP_

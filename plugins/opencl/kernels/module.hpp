// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Users' kernels: texts of the portable dialect, compiled by the driver.
#ifndef PATCHBAY_PLUGINS_OPENCL_KERNELS_MODULE_HPP_
#define PATCHBAY_PLUGINS_OPENCL_KERNELS_MODULE_HPP_

#include <memory>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "opencl/device/device.hpp"

namespace patchbay::opencl {

/// Compiles the text, or loads it from the host's cache. Throws PATCHBAY_BUILD_FAILED with the
/// driver's log, `unsupported` for another format.
std::unique_ptr<plugin::Module> load_module(const Device& device, plugin::Host host,
                                            std::string_view format, std::string_view code);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_KERNELS_MODULE_HPP_

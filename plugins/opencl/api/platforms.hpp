// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_API_PLATFORMS_HPP_
#define PATCHBAY_PLUGINS_OPENCL_API_PLATFORMS_HPP_

#include <vector>

#include "patchbay/plugin/kit/host.hpp"

#include "opencl/api/device_info.hpp"

namespace patchbay::opencl {

/// The devices of all platforms that can be used: OpenCL 1.2, with a compiler. What is left out is
/// logged. Throws PATCHBAY_NO_DEVICE, saying what each platform has, if there is none.
std::vector<DeviceInfo> find_devices(const Symbols& cl, plugin::Host host);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_API_PLATFORMS_HPP_

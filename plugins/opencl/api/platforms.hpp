// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_API_PLATFORMS_HPP_
#define PATCHBAY_PLUGINS_OPENCL_API_PLATFORMS_HPP_

#include <vector>

#include "patchbay/plugin/kit/host.hpp"

#include "opencl/api/device_info.hpp"

namespace patchbay::opencl {

/// The usable devices of all platforms: OpenCL 1.2, with a compiler. Logs the devices that it
/// skips. Throws PATCHBAY_NO_DEVICE with the reason for each platform if there is none.
std::vector<DeviceInfo> find_devices(const Symbols& cl, plugin::Host host);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_API_PLATFORMS_HPP_

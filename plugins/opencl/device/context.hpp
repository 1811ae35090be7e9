// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The context of a device: created for it, or the application's.
#ifndef PATCHBAY_PLUGINS_OPENCL_DEVICE_CONTEXT_HPP_
#define PATCHBAY_PLUGINS_OPENCL_DEVICE_CONTEXT_HPP_

#include <cstdint>

#include "opencl/api/device_info.hpp"
#include "opencl/api/handle.hpp"

namespace patchbay::opencl {

ContextHandle create_context(const Symbols& cl, const DeviceInfo& info);
/// Retains the application's context. Throws if it does not contain the device.
ContextHandle share_context(const Symbols& cl, const DeviceInfo& info,
                            std::uint64_t native_context);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_DEVICE_CONTEXT_HPP_

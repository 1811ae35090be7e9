// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_API_HOST_MEMORY_HPP_
#define PATCHBAY_PLUGINS_OPENCL_API_HOST_MEMORY_HPP_

#include <cstdint>

namespace patchbay::opencl {

/// Available host memory, for devices that use it; the largest number if it is unknown.
std::uint64_t host_memory_available_bytes();

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_API_HOST_MEMORY_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Converts the driver's error codes to exceptions that name the entry.
#ifndef PATCHBAY_PLUGINS_OPENCL_API_ERROR_HPP_
#define PATCHBAY_PLUGINS_OPENCL_API_ERROR_HPP_

#include <string>

#include "patchbay/plugin/kit/error.hpp"

#include "opencl/api/cl_types.hpp"

namespace patchbay::opencl {

/// "CL_OUT_OF_RESOURCES (-5)"
std::string describe(std::int64_t code);

/// Returns the device-lost flag if the code means that the device is lost.
inline std::uint32_t flags_of(std::int64_t code) {
  return code == kDeviceNotAvailable ? std::uint32_t{PATCHBAY_STATUS_DEVICE_LOST} : 0;
}

/// Throws the error for `code`, as a failure of `doing`.
[[noreturn]] void fail(const std::string& doing, std::int64_t code);

inline void check(cl_int code, const char* doing) {
  if (code != kSuccess) fail(doing, code);
}

/// Whether the code means that memory is exhausted.
bool is_out_of_memory(std::int64_t code);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_API_ERROR_HPP_

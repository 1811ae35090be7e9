// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_KERNELS_BUILD_LOCK_HPP_
#define PATCHBAY_PLUGINS_OPENCL_KERNELS_BUILD_LOCK_HPP_

#include <string_view>

#include "opencl/api/device_info.hpp"

namespace patchbay::opencl {

/// While it lives, no other process and no other thread builds the same program for the device.
///
/// PoCL keeps what it builds in a directory that all processes share, and replaces a file there by
/// removing it first: another process that builds or loads the same program at that moment finds
/// no file, fails or aborts. Drivers other than PoCL get no lock. Neither does a device whose
/// directory can't be written, nor anyone who has waited for a minute.
class BuildLock {
 public:
  /// `key`: equal for equal programs.
  BuildLock(const DeviceInfo& device, std::string_view key);
  ~BuildLock();
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_KERNELS_BUILD_LOCK_HPP_

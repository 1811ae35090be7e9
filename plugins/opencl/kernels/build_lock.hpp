// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_KERNELS_BUILD_LOCK_HPP_
#define PATCHBAY_PLUGINS_OPENCL_KERNELS_BUILD_LOCK_HPP_

#include <string_view>

#include "opencl/api/device_info.hpp"

namespace patchbay::opencl {

/// Prevents other threads and processes from building the same program for the device.
///
/// PoCL keeps built programs in a directory that all processes share, and removes a file there
/// before it replaces it: another process that builds or loads the same program then finds no file,
/// and fails or aborts. The lock is not taken for drivers other than PoCL, if the directory can't
/// be written, or after waiting for a minute.
class BuildLock {
 public:
  /// `key`: the same for the same program.
  BuildLock(const DeviceInfo& device, std::string_view key);
  ~BuildLock();
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_KERNELS_BUILD_LOCK_HPP_

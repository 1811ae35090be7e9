// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Device properties that the driver reports without a context.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DEVICE_INFO_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DEVICE_INFO_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "cuda-cublas/api/symbols.hpp"

namespace patchbay::cuda {

inline constexpr std::uint64_t kAlignmentBytes = 256;  // of every allocation

struct DeviceInfo {
  DeviceInfo(const DriverTable& driver, int index);

  DeviceNumber number = 0;
  std::string name, pci_address;
  Uuid uuid{};
  std::uint64_t memory_bytes = 0;
  int architecture = 0;  // compute capability as 10 * major + minor
  std::uint32_t compute_units, warp_size, max_group_size;
  bool is_integrated;  // shares its memory with the host
};

/// Initialises the driver. Throws PATCHBAY_NO_DRIVER or PATCHBAY_NO_DEVICE with the reason.
std::vector<DeviceInfo> find_devices(const DriverTable& driver);

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DEVICE_INFO_HPP_

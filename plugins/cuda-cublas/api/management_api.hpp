// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of the management library (NVML) that are used; see driver_api.hpp.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_MANAGEMENT_API_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_MANAGEMENT_API_HPP_

#include <cstdint>

namespace patchbay::cuda {

using ManagedDevice = struct ManagedDeviceObject*;
struct ManagedMemory {
  std::uint64_t total_bytes, free_bytes, used_bytes;
};

// Entry by entry.
// clang-format off
// our name, the library's symbol, parameters; all return a code, 0 for success
#define PATCHBAY_NVML_ENTRIES(entry) \
  entry(initialise, nvmlInit_v2, ()) \
  entry(find_device, nvmlDeviceGetHandleByUUID, (const char* uuid, ManagedDevice*)) \
  entry(memory, nvmlDeviceGetMemoryInfo, (ManagedDevice, ManagedMemory*))
// clang-format on

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_MANAGEMENT_API_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// NVML, which tells the memory of a card without a context.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_MANAGEMENT_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_MANAGEMENT_HPP_

#include "patchbay/plugin/kit/objects.hpp"

#include "cuda-cublas/api/management_api.hpp"
#include "kit/card/context/device_info.hpp"

namespace patchbay::cuda {

/// The functions of the library, which stays loaded.
class Management {
 public:
  /// Throws `unsupported` if there is no library, or it does not start.
  Management(plugin::Host host, int driver_version);

  /// Throws `unsupported` if the library does not know the device.
  plugin::Allocator::Info memory_info(const card::DeviceInfo& info) const;

 private:
#define PATCHBAY_CUDA_MEMBER(member, symbol, parameters) \
  card::Entry<int parameters> member{#symbol, nullptr};
  PATCHBAY_NVML_ENTRIES(PATCHBAY_CUDA_MEMBER)
#undef PATCHBAY_CUDA_MEMBER
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_MANAGEMENT_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "hip/device/vendor.hpp"

namespace patchbay::hip {

std::unique_ptr<card::Products> Vendor::make_products(card::Context& context,
                                                      const card::DeviceInfo& info) {
  return std::make_unique<Blas>(context, info.architecture, uses_xf32_, blas());
}

card::DeviceInfo Vendor::device(int index) const {
  card::DeviceInfo info =
      card::device_info(api(), index,
                        {kMultiprocessorCount, kWarpSize, kMaxThreadsPerBlock, kIntegrated,
                         kL2CacheBytes, kSharedMemoryBytes, kClockKhz, kMemoryClockKhz});
  info.architecture = own_api().architecture(index);
  return info;
}

}  // namespace patchbay::hip

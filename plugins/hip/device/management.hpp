// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// ROCm SMI, which tells the memory of a card without a context.
#ifndef PATCHBAY_PLUGINS_HIP_DEVICE_MANAGEMENT_HPP_
#define PATCHBAY_PLUGINS_HIP_DEVICE_MANAGEMENT_HPP_

#include "patchbay/plugin/kit/objects.hpp"

#include "hip/api/management_api.hpp"
#include "kit/card/context/device_info.hpp"

namespace patchbay::hip {

/// The functions of the library, which stays loaded.
class Management {
 public:
  /// Throws `unsupported` if there is no library, or it does not start.
  Management(plugin::Host host, int driver_version);

  /// Throws `unsupported` if the library does not know the device.
  plugin::Allocator::Info memory_info(const card::DeviceInfo& info) const;

 private:
#define PATCHBAY_HIP_MEMBER(member, symbol, parameters) \
  card::Entry<int parameters> member{#symbol, nullptr};
  PATCHBAY_SMI_ENTRIES(PATCHBAY_HIP_MEMBER)
#undef PATCHBAY_HIP_MEMBER
};

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_DEVICE_MANAGEMENT_HPP_

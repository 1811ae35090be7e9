// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The driver's library, opened at run time. It is never unloaded, because it keeps threads.
#ifndef PATCHBAY_PLUGINS_HIP_API_DRIVER_HPP_
#define PATCHBAY_PLUGINS_HIP_API_DRIVER_HPP_

#include <string>

#include "patchbay/plugin/kit/host.hpp"

#include "hip/api/driver_api.hpp"

namespace patchbay::hip {

/// HIP has no contexts: a device's context stands for its number.
class Api : public card::Api {
 public:
  /// Opens the file of the setting hip_library, else the newest libamdhip64.so of versions 5 to 7.
  /// Throws PATCHBAY_NO_DRIVER with the reason, also if the driver is too old.
  explicit Api(plugin::Host host);

  std::string describe(Result code) const override;
  bool loses_device(Result code) const override;
  /// The compiler's name of the device's architecture, with its features.
  std::string architecture(DeviceNumber device) const;

#define PATCHBAY_HIP_MEMBER(member, symbol, parameters) \
  card::Entry<int parameters> member{#symbol, nullptr};
  PATCHBAY_HIP_OWN_ENTRIES(PATCHBAY_HIP_MEMBER)
  PATCHBAY_HIP_OWN_GRAPH_ENTRIES(PATCHBAY_HIP_MEMBER)
#undef PATCHBAY_HIP_MEMBER
#define PATCHBAY_HIP_MEMBER(member, symbol) \
  card::Entry<const char*(Result)> member{#symbol, nullptr};
  PATCHBAY_HIP_TEXT_ENTRIES(PATCHBAY_HIP_MEMBER)
#undef PATCHBAY_HIP_MEMBER

 private:
  card::Entry<int(void*, DeviceNumber)> properties_{kProperties6Symbol, nullptr};
  card::Entry<int(NativeStream, DeviceNumber*)> stream_device_{kStreamDeviceSymbol, nullptr};
  std::size_t architecture_offset_ = kArchitectureOffset6;
};

/// For example "6.2.41134" and 6 for 60241134.
std::string version_text(int version);
int major_version(int version);

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_API_DRIVER_HPP_

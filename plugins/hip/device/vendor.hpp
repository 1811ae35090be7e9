// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_HIP_DEVICE_VENDOR_HPP_
#define PATCHBAY_PLUGINS_HIP_DEVICE_VENDOR_HPP_

#include <memory>
#include <string>

#include "patchbay/plugin/kit/objects.hpp"

#include "hip/api/driver.hpp"
#include "hip/api/management_api.hpp"
#include "hip/device/blas.hpp"
#include "hip/device/compiler.hpp"
#include "kit/card/context/device_info.hpp"
#include "kit/card/device/vendor.hpp"

namespace patchbay::hip {

/// ROCm SMI, which tells the memory of a card without a context. It stays loaded.
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

class Vendor : public card::VendorOf<Api, Compiler, BlasTable, Management> {
 public:
  explicit Vendor(plugin::Host host)
      : VendorOf(host), uses_xf32_(plugin::is_on(host, BlasTable::kXf32Setting)) {}

  std::unique_ptr<card::Products> make_products(card::Context& context,
                                                const card::DeviceInfo& info) override;
  card::DeviceInfo device(int index) const override;
  card::RangeCalls find_range_calls(plugin::Host host) override;

  const char* plugin_name() const override { return "hip"; }
  const char* vendor_name() const override { return "AMD"; }
  std::string driver_version() const override { return version_text(api().version); }
  const char* visibility_variable() const override { return "HIP_VISIBLE_DEVICES"; }
  std::uint32_t dlpack_device_type() const override { return 10; }

 private:
  const bool uses_xf32_;  // read when the plugin is opened, so that a wrong value is known at once
};

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_DEVICE_VENDOR_HPP_

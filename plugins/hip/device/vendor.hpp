// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_HIP_DEVICE_VENDOR_HPP_
#define PATCHBAY_PLUGINS_HIP_DEVICE_VENDOR_HPP_

#include <memory>
#include <string>

#include "hip/api/driver.hpp"
#include "hip/device/blas.hpp"
#include "hip/device/compiler.hpp"
#include "hip/device/management.hpp"
#include "kit/card/device/vendor.hpp"

namespace patchbay::hip {

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

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

class Vendor : public card::Vendor {
 public:
  explicit Vendor(plugin::Host host)
      : api_(host),
        compiler_(host, api_.version),
        blas_(host, api_.version),
        management_(host, api_.version) {}

  const card::Api& api() const override { return api_; }
  card::Compiler& compiler() override { return compiler_; }
  std::unique_ptr<card::Products> make_products(card::Context& context,
                                                const card::DeviceInfo& info) override;
  card::DeviceInfo device(int index) const override;
  plugin::Allocator::Info memory_info(const card::DeviceInfo& info) override {
    return management_.get().memory_info(info);
  }

  const char* plugin_name() const override { return "hip"; }
  const char* vendor_name() const override { return "AMD"; }
  std::string driver_version() const override { return version_text(api_.version); }
  std::uint32_t dlpack_device_type() const override { return 10; }

 private:
  const Api api_;
  Compiler compiler_;
  card::Lazy<BlasTable> blas_;
  card::Lazy<Management> management_;
};

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_DEVICE_VENDOR_HPP_

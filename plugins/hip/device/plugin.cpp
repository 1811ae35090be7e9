// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/plugin/kit/kit.hpp"

#include "hip/device/vendor.hpp"
#include "kit/card/device/driver.hpp"

namespace patchbay::hip {
namespace {

class Driver : public card::Driver {
 public:
  explicit Driver(plugin::Host host) : card::Driver(std::make_unique<Vendor>(host)) {}
};

}  // namespace
}  // namespace patchbay::hip

PATCHBAY_PLUGIN_SETTINGS(
    "hip_library hip_rtc_library hip_comgr_library hip_blas_library hip_management_library "
    "hip_ranges_library hip_xf32");
PATCHBAY_DEFINE_PLUGIN("hip", "hip", "0.1", patchbay::hip::Driver);

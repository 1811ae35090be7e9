// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_CARD_DEVICE_DRIVER_HPP_
#define PATCHBAY_KIT_CARD_DEVICE_DRIVER_HPP_

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/device/vendor.hpp"

namespace patchbay::card {

/// The devices in the driver's order. A vendor's plugin derives from it.
class Driver : public plugin::Driver {
 public:
  void enumerate(const Found& found) override;
  std::unique_ptr<plugin::Device> open_device(std::uint32_t index) override;
  std::unique_ptr<plugin::Device> open_device_in(std::uint32_t index,
                                                 std::uint64_t native_context) override;
  plugin::Allocator::Info memory_info(std::uint32_t index) override {
    return vendor_->memory_info(device(index));
  }
  const void* extension(std::string_view name, std::uint32_t version) override;
  void begin_range(std::string_view name) override;
  void end_range() override;

 protected:
  /// Initialises the driver. Throws PATCHBAY_NO_DRIVER or PATCHBAY_NO_DEVICE with the reason.
  explicit Driver(std::unique_ptr<Vendor> vendor);

 private:
  /// Refuses calls from now on, and waits for running ones.
  static void stop(patchbay_driver* driver, std::uint64_t deadline_ns) noexcept;
  const DeviceInfo& device(std::uint32_t index) const;
  bool reaches_another(const DeviceInfo& device) const;
  const RangeCalls& range_calls();

  const std::unique_ptr<Vendor> vendor_;
  std::vector<DeviceInfo> devices_;
  std::once_flag range_calls_found_;
  RangeCalls range_calls_;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_DEVICE_DRIVER_HPP_

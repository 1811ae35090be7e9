// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_DEVICE_DRIVER_HPP_
#define PATCHBAY_PLUGINS_OPENCL_DEVICE_DRIVER_HPP_

#include <memory>
#include <string_view>
#include <vector>

#include "patchbay/plugin/kit/objects.hpp"

#include "opencl/api/device_info.hpp"
#include "opencl/api/symbols.hpp"
#include "opencl/context/process_end.hpp"

namespace patchbay::opencl {

/// The devices of all platforms, in the ICD loader's order.
class Driver : public plugin::Driver {
 public:
  explicit Driver(plugin::Host host);

  void enumerate(const Found& found) override;
  std::unique_ptr<plugin::Device> open_device(std::uint32_t index) override;
  std::unique_ptr<plugin::Device> open_device_in(std::uint32_t index,
                                                 std::uint64_t native_context) override;
  /// "exit".
  const void* extension(std::string_view name, std::uint32_t version) override;

 private:
  static void stop(patchbay_driver* driver, std::uint64_t deadline_ns) noexcept;
  const DeviceInfo& device(std::uint32_t index) const;

  const plugin::Host host_;
  const Symbols cl_;
  std::vector<DeviceInfo> devices_;
  ProcessEnd process_end_;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_DEVICE_DRIVER_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Finds the vendor's driver and the devices that it sees.
#ifndef PATCHBAY_NULL_DRIVER_HPP_
#define PATCHBAY_NULL_DRIVER_HPP_

#include "todo.hpp"

namespace null {

class Driver : public plugin::Driver {
 public:
  /// Opens the driver library. Throws NO_DRIVER or NO_DEVICE with the reason.
  explicit Driver(plugin::Host host);

  void enumerate(const Found& found) override;
  std::unique_ptr<plugin::Device> open_device(std::uint32_t index) override;

  // Optional
  const void* extension(std::string_view name, std::uint32_t version) override;
};

}  // namespace null

#endif  // PATCHBAY_NULL_DRIVER_HPP_

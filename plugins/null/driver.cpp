// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include "device.hpp"

namespace null {

Driver::Driver(plugin::Host) {
  // Open the vendor's library here by its name, and look up the symbols that you use:
  //   throw plugin::StatusError(PATCHBAY_NO_DRIVER, "libvendor.so.1: cannot open ...");
}

void Driver::enumerate(const Found& found) {
  patchbay_device_properties properties{};
  properties.size = sizeof(properties);
  properties.index = 0;
  properties.kind = PATCHBAY_DEVICE_ACCELERATOR;
  properties.name = plugin::to_abi("null");
  properties.vendor = plugin::to_abi("none");
  properties.memory_alignment_bytes = 256;
  found(properties);
}

std::unique_ptr<plugin::Device> Driver::open_device(std::uint32_t) {
  return std::make_unique<Device>();
}

const void* Driver::extension(std::string_view, std::uint32_t) { return nullptr; }

}  // namespace null

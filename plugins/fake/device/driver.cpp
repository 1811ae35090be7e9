// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/device/driver.hpp"

#include <cstdio>
#include <cstring>
#include <string>

#include "fake/device/device.hpp"

namespace fake {

Driver::Driver(plugin::Host host) : options_(host), faults_(host), executor_(host) {
  fail_open_on_demand(host);
  if (options_.devices == 0) {
    throw plugin::StatusError(PATCHBAY_NO_DEVICE, "the setting fake_devices is 0");
  }
}

void Driver::enumerate(const Found& found) {
  faults_.count(Call::kEnumerate);
  for (std::uint32_t i = 0; i < options_.devices; ++i) {
    const std::string name = "Fake device " + std::to_string(i);
    char pci_address[24];
    std::snprintf(pci_address, sizeof pci_address, "fa4e:%02x:00.0", i);

    const patchbay::device::Options options = options_.of_device(i);
    patchbay_device_properties properties = patchbay::device::properties_of(options);
    properties.name = plugin::to_abi(name);
    properties.vendor = plugin::to_abi("Patchbay");
    properties.driver_version = plugin::to_abi("1.0");
    properties.pci_address = plugin::to_abi(pci_address);
    std::memcpy(properties.uuid, "patchbay fake", 13);
    properties.uuid[15] = static_cast<std::uint8_t>(i);
    if (options_.has_peers(i)) properties.capabilities |= PATCHBAY_CAN_PEER_ACCESS;
    if (options_.blocks_on_pageable) properties.capabilities |= PATCHBAY_PAGEABLE_COPIES_BLOCK;
    found(properties);
  }
}

std::unique_ptr<plugin::Device> Driver::open_device(std::uint32_t index) {
  faults_.count(Call::kOpenDevice);
  if (index >= options_.devices) {
    plugin::invalid_argument("device " + std::to_string(index) + ": there are " +
                             std::to_string(options_.devices));
  }
  return std::make_unique<Device>(index, options_, faults_, executor_);
}

}  // namespace fake

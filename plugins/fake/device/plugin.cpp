// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "patchbay/plugin/abi.h"
#include "patchbay/plugin/kit/kit.hpp"
#include "patchbay/plugin/kit/objects.hpp"

#include "fake/device/device.hpp"
#include "fake/device/faults.hpp"
#include "fake/device/options.hpp"
#include "kit/executor/executor.hpp"

namespace fake {
namespace {

class Driver : public plugin::Driver {
 public:
  static constexpr std::uint64_t kFeatures = UINT64_C(1) << PATCHBAY_FEATURE_FORK;

  explicit Driver(plugin::Host host) : options_(host), faults_(host), executor_(host) {
    fail_open_on_demand(host);
    if (options_.devices == 0) {
      throw plugin::StatusError(PATCHBAY_NO_DEVICE, "the setting fake_devices is 0");
    }
  }

  void enumerate(const Found& found) override {
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

  std::unique_ptr<plugin::Device> open_device(std::uint32_t index) override {
    faults_.count(Call::kOpenDevice);
    if (index >= options_.devices) {
      plugin::invalid_argument("device " + std::to_string(index) + ": there are " +
                               std::to_string(options_.devices));
    }
    return std::make_unique<Device>(index, options_, faults_, executor_);
  }

 private:
  const Options options_;
  Faults faults_;
  patchbay::executor::Executor executor_;
};

}  // namespace
}  // namespace fake

// README.md describes them.
PATCHBAY_PLUGIN_SETTINGS(
    "fake_delay_ms fake_devices fake_endless_launch fake_endless_until_launch fake_f64 "
    "fake_fail_allocate fake_fail_async_launch fake_fail_copy fake_fail_create_event "
    "fake_fail_create_stream fake_fail_enumerate fake_fail_launch fake_fail_open_device "
    "fake_fail_prepare fake_fusion fake_late_us fake_link_bytes_per_s fake_lose_device "
    "fake_lose_device_async "
    "fake_memory_bytes fake_open fake_out_of_memory fake_pageable_blocks fake_peer fake_peers "
    "fake_seed fake_sub_group_width "
    "fake_unnamed_faults fake_workspace_bytes kernel_compiler "
    "kernel_compiler_timeout_s");
PATCHBAY_DEFINE_PLUGIN("fake", "fake", "0.1", fake::Driver);

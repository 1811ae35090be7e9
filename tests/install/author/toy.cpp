// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A backend from the kit: devices whose memory the host can't address. Streams, events, copies and
// every operator are the kit's; memory, settings and copies between its devices are its own.
#include <cstdint>
#include <memory>
#include <string>

#include <patchbay/plugin/kit/kit.hpp>

#include "banks.hpp"
#include "kit/device/device.hpp"
#include "kit/executor/executor.hpp"

namespace toy {

class Device : public device::Device {
 public:
  Device(const device::Options& options, patchbay::executor::Executor& executor)
      : device::Device(options, executor, std::make_unique<Banks>(options.memory_bytes)) {}

  /// All toys share a table.
  bool can_access_peer(plugin::Device&) override { return true; }
};

/// The user's setting, a number from 1 to `most`.
std::uint64_t setting(plugin::Host host, const std::string& name, std::uint64_t otherwise,
                      std::uint64_t most) {
  const auto text = host.option(name);
  if (!text) return otherwise;
  const bool is_number = !text->empty() && text->size() < 18 &&
                         text->find_first_not_of("0123456789") == std::string::npos;
  const std::uint64_t number = is_number ? std::stoull(*text) : 0;
  if (number >= 1 && number <= most) return number;
  plugin::refuse_setting(name, "a number from 1 to " + std::to_string(most), *text);
}

class Driver : public plugin::Driver {
 public:
  // Nothing of it is lost in a child of fork.
  static constexpr std::uint64_t kFeatures = UINT64_C(1) << PATCHBAY_FEATURE_FORK;

  explicit Driver(plugin::Host host)
      : num_devices_(setting(host, "toy_devices", 2, 8)),
        memory_bytes_(setting(host, "toy_memory_bytes", UINT64_C(1) << 28, UINT64_C(1) << 40)),
        executor_(host) {}

  void enumerate(const Found& found) override {
    for (std::uint32_t i = 0; i < num_devices_; ++i) {
      const device::Options options = options_of(i);
      patchbay_device_properties properties = device::properties_of(options);
      properties.vendor = plugin::to_abi("Toy");
      properties.driver_version = plugin::to_abi("1.0");
      properties.capabilities |= PATCHBAY_CAN_PEER_ACCESS;
      properties.host_addressable_kinds = UINT64_C(1) << PATCHBAY_MEMORY_PINNED;  // none is unified
      found(properties);
    }
  }

  std::unique_ptr<plugin::Device> open_device(std::uint32_t index) override {
    if (index < num_devices_) return std::make_unique<Device>(options_of(index), executor_);
    plugin::invalid_argument("there are " + std::to_string(num_devices_) + " toys");
  }

 private:
  device::Options options_of(std::uint32_t index) const {
    device::Options options;
    options.index = index;
    options.name = "Toy " + std::to_string(index);
    options.memory_bytes = memory_bytes_;
    return options;
  }

  const std::uint64_t num_devices_, memory_bytes_;
  patchbay::executor::Executor executor_;
};

}  // namespace toy

PATCHBAY_PLUGIN_SETTINGS("kernel_compiler kernel_compiler_timeout_s toy_devices toy_memory_bytes");
PATCHBAY_DEFINE_PLUGIN("toy", "toy", "1.0", toy::Driver);

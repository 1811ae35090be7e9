// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The smallest plugin: one device that is there and can do nothing.
#include <patchbay/plugin/kit/kit.hpp>

namespace socket_plugin {

using namespace patchbay::plugin;

class SocketDriver : public Driver {
 public:
  explicit SocketDriver(Host) {}

  void enumerate(const Found& found) override {
    patchbay_device_properties properties{};
    properties.size = sizeof(properties);
    properties.kind = PATCHBAY_DEVICE_ACCELERATOR;
    properties.name = to_abi("an empty socket");
    found(properties);
  }

  std::unique_ptr<Device> open_device(std::uint32_t) override {
    unsupported("nothing is plugged into this socket");
  }
};

}  // namespace socket_plugin

PATCHBAY_DEFINE_PLUGIN("socket", "socket", "1.0", socket_plugin::SocketDriver);

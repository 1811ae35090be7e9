// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/driver.hpp"

#include <algorithm>
#include <string>

namespace patchbay::cuda {

Driver::Driver(plugin::Host host) : libraries_(host), devices_(find_devices(libraries_.driver)) {}

bool Driver::reaches_another(const DeviceInfo& device) const {
  return std::any_of(devices_.begin(), devices_.end(), [&](const DeviceInfo& other) {
    int can = 0;
    return other.number != device.number &&
           libraries_.driver.device_can_access_peer(&can, device.number, other.number) ==
               kSuccess &&
           can != 0;
  });
}

void Driver::enumerate(const Found& found) {
  const std::string version = version_text(libraries_.driver.version);
  std::uint32_t index = 0;
  for (const DeviceInfo& device : devices_) {
    patchbay_device_properties properties{};
    properties.size = sizeof properties;
    properties.index = index++;
    properties.kind = PATCHBAY_DEVICE_ACCELERATOR;
    properties.name = plugin::to_abi(device.name);
    properties.vendor = plugin::to_abi("NVIDIA");
    properties.driver_version = plugin::to_abi(version);
    properties.pci_address = plugin::to_abi(device.pci_address);
    std::copy(std::begin(device.uuid.bytes), std::end(device.uuid.bytes), properties.uuid);
    properties.capabilities = PATCHBAY_CAN_F64 | PATCHBAY_CAN_F16 | PATCHBAY_CAN_BF16 |
                              PATCHBAY_CAN_MODULES | PATCHBAY_CAN_ADDRESS |
                              PATCHBAY_CAN_STREAM_PRIORITY | PATCHBAY_PAGEABLE_COPIES_BLOCK |
                              (device.is_integrated ? PATCHBAY_CAN_UNIFIED_MEMORY : 0) |
                              (reaches_another(device) ? PATCHBAY_CAN_PEER_ACCESS : 0);
    properties.host_addressable_kinds = std::uint64_t{1} << PATCHBAY_MEMORY_PINNED;
    properties.memory_total_bytes = device.memory_bytes;
    properties.memory_alignment_bytes = kAlignmentBytes;
    properties.compute_units = device.compute_units;
    properties.preferred_vector_bytes = 16;
    properties.sub_group_width = device.warp_size;
    properties.max_group_size = device.max_group_size;
    properties.dlpack_device_type = 2;
    properties.dlpack_device_id = device.number;
    found(properties);
  }
}

const DeviceInfo& Driver::device(std::uint32_t index) const {
  if (index >= devices_.size()) {
    plugin::invalid_argument("there is no device " + std::to_string(index) + " among " +
                             std::to_string(devices_.size()));
  }
  return devices_[index];
}

std::unique_ptr<plugin::Device> Driver::open_device(std::uint32_t index) {
  return std::make_unique<Device>(libraries_, device(index), index, nullptr);
}

std::unique_ptr<plugin::Device> Driver::open_device_in(std::uint32_t index,
                                                       std::uint64_t native_context) {
  const auto context = reinterpret_cast<NativeContext>(static_cast<std::uintptr_t>(native_context));
  return std::make_unique<Device>(libraries_, device(index), index, context);
}

}  // namespace patchbay::cuda

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/device/driver.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "patchbay/plugin/extensions.h"
#include "patchbay/plugin/kit/thunks.hpp"

#include "kit/card/api/error.hpp"
#include "kit/card/device/device.hpp"

namespace patchbay::card {

Driver::Driver(std::unique_ptr<Vendor> vendor) : vendor_(std::move(vendor)) {
  const Api& api = vendor_->api();
  const auto no_device = [&](const std::string& why, Result code) {
    throw plugin::StatusError(
        PATCHBAY_NO_DEVICE, why + "; install a card, or correct " + vendor_->visibility_variable(),
        code);
  };
  const auto check_found = [&](std::string_view entry, Result code) {
    if (code == kSuccess) return;
    const std::string why = describe(api, entry, code);
    // Without a card some drivers say that there is no device, others that it is invalid.
    if (code == kErrorNoDevice || code == kErrorInvalidDevice) no_device(why, code);
    throw plugin::StatusError(PATCHBAY_NO_DRIVER, why, code);
  };
  check_found(api.initialise.name, api.initialise(0));
  int count = 0;
  check_found(api.device_count.name, api.device_count(&count));
  if (count == 0) no_device("the driver sees no device", kSuccess);
  for (int i = 0; i < count; ++i) devices_.push_back(vendor_->device(i));
}

bool Driver::reaches_another(const DeviceInfo& device) const {
  return std::any_of(devices_.begin(), devices_.end(), [&](const DeviceInfo& other) {
    int can = 0;
    const auto& entry = vendor_->api().device_can_access_peer;
    return other.number != device.number && entry(&can, device.number, other.number) == kSuccess &&
           can != 0;
  });
}

void Driver::enumerate(const Found& found) {
  const std::string version = vendor_->driver_version();
  std::uint32_t index = 0;
  for (const DeviceInfo& device : devices_) {
    patchbay_device_properties properties{};
    properties.size = sizeof properties;
    properties.index = index++;
    properties.kind = PATCHBAY_DEVICE_ACCELERATOR;
    properties.name = plugin::to_abi(device.name);
    properties.vendor = plugin::to_abi(vendor_->vendor_name());
    properties.driver_version = plugin::to_abi(version);
    properties.pci_address = plugin::to_abi(device.pci_address);
    std::copy(std::begin(device.uuid.bytes), std::end(device.uuid.bytes), properties.uuid);
    properties.capabilities =
        PATCHBAY_CAN_F64 | PATCHBAY_CAN_F16 | PATCHBAY_CAN_BF16 | PATCHBAY_CAN_MODULES |
        PATCHBAY_CAN_FUSED_GROUPS | PATCHBAY_CAN_ADDRESS | PATCHBAY_CAN_STREAM_PRIORITY |
        PATCHBAY_PAGEABLE_COPIES_BLOCK | (device.is_integrated ? PATCHBAY_CAN_UNIFIED_MEMORY : 0) |
        (reaches_another(device) ? PATCHBAY_CAN_PEER_ACCESS : 0);
    properties.host_addressable_kinds = std::uint64_t{1} << PATCHBAY_MEMORY_PINNED;
    properties.memory_total_bytes = device.memory_bytes;
    properties.memory_alignment_bytes = kAlignmentBytes;
    properties.compute_units = device.compute_units;
    properties.preferred_vector_bytes = 16;
    properties.sub_group_width = device.sub_group_width;
    properties.max_group_size = device.max_group_size;
    properties.dlpack_device_type = vendor_->dlpack_device_type();
    properties.dlpack_device_id = device.number;
    properties.architecture = plugin::to_abi(device.architecture);
    properties.l2_cache_bytes = device.l2_cache_bytes;
    properties.shared_memory_bytes = device.shared_memory_bytes;
    properties.clock_khz = device.clock_khz;
    properties.memory_clock_khz = device.memory_clock_khz;
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
  return std::make_unique<Device>(*vendor_, device(index), index, nullptr);
}

std::unique_ptr<plugin::Device> Driver::open_device_in(std::uint32_t index,
                                                       std::uint64_t native_context) {
  if (!vendor_->api().has_contexts) return plugin::Driver::open_device_in(index, native_context);
  const auto context = reinterpret_cast<NativeContext>(static_cast<std::uintptr_t>(native_context));
  return std::make_unique<Device>(*vendor_, device(index), index, context);
}

void Driver::stop(patchbay_driver* driver, std::uint64_t deadline_ns) noexcept {
  static_cast<Driver&>(plugin::detail::object(driver)).vendor_->gate().close(deadline_ns);
}

const void* Driver::extension(std::string_view name, std::uint32_t version) {
  static constexpr patchbay_exit_table kExit = {sizeof(patchbay_exit_table), stop};
  return name == PATCHBAY_EXTENSION_EXIT && version == 1 ? &kExit : nullptr;
}

const RangeCalls& Driver::range_calls() {
  std::call_once(range_calls_found_, [this] { range_calls_ = vendor_->find_range_calls(host()); });
  return range_calls_;
}

void Driver::begin_range(std::string_view name) {
  if (range_calls().push != nullptr) range_calls().push(std::string(name).c_str());
}

void Driver::end_range() {
  if (range_calls().pop != nullptr) range_calls().pop();
}

}  // namespace patchbay::card

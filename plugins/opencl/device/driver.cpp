// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/device/driver.hpp"

#include <algorithm>
#include <string>

#include "patchbay/plugin/extensions.h"
#include "patchbay/plugin/kit/thunks.hpp"

#include "opencl/api/device_info.hpp"
#include "opencl/api/error.hpp"
#include "opencl/device/device.hpp"

namespace patchbay::opencl {
namespace {

ContextHandle create_context(const Symbols& cl, const DeviceInfo& info) {
  cl_int code = 0;
  const cl_context context = cl.clCreateContext(nullptr, 1, &info.id, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  return {cl, context};
}

/// Retains the application's context. Throws if it does not contain the device.
ContextHandle share_context(const Symbols& cl, const DeviceInfo& info,
                            std::uint64_t native_context) {
  const auto context = reinterpret_cast<cl_context>(static_cast<std::uintptr_t>(native_context));
  const auto key = static_cast<cl_uint>(kContextDevices);
  std::size_t size = 0;
  check(cl.clGetContextInfo(context, key, 0, nullptr, &size), "clGetContextInfo");
  std::vector<cl_device> devices(size / sizeof(cl_device));
  check(cl.clGetContextInfo(context, key, size, devices.data(), nullptr), "clGetContextInfo");
  if (std::find(devices.begin(), devices.end(), info.id) == devices.end()) {
    plugin::invalid_argument("the context does not have this device, '" + info.name + "'");
  }
  check(cl.clRetainContext(context), "clRetainContext");
  return {cl, context};
}

}  // namespace

Driver::Driver(plugin::Host host)
    : host_(host), cl_(host.option("opencl_library")), devices_(find_devices(cl_, host)) {}

void Driver::enumerate(const Found& found) {
  std::uint32_t index = 0;
  for (const DeviceInfo& device : devices_) {
    patchbay_device_properties properties{};
    properties.size = sizeof properties;
    properties.index = index++;
    properties.kind = device.is_cpu ? PATCHBAY_DEVICE_CPU : PATCHBAY_DEVICE_ACCELERATOR;
    properties.name = plugin::to_abi(device.name);
    properties.vendor = plugin::to_abi(device.vendor);
    properties.driver_version = plugin::to_abi(device.driver_version);
    properties.pci_address = plugin::to_abi(device.pci_address);
    std::copy(device.uuid.begin(), device.uuid.end(), properties.uuid);
    properties.capabilities = PATCHBAY_CAN_MODULES | PATCHBAY_CAN_FUSED_GROUPS | PATCHBAY_CAN_F16 |
                              PATCHBAY_CAN_BF16 | (device.has_f64 ? PATCHBAY_CAN_F64 : 0) |
                              (device.shares_host_memory ? PATCHBAY_CAN_UNIFIED_MEMORY : 0);
    properties.host_addressable_kinds = std::uint64_t{1} << PATCHBAY_MEMORY_PINNED;
    properties.memory_total_bytes = device.memory_bytes;
    properties.memory_alignment_bytes = device.alignment_bytes;
    properties.compute_units = device.compute_units;
    properties.preferred_vector_bytes = device.vector_bytes;
    properties.sub_group_width = 1;
    properties.max_group_size = device.max_group_size;
    properties.l2_cache_bytes = device.l2_cache_bytes;
    properties.shared_memory_bytes = device.local_memory_bytes;
    properties.clock_khz = device.clock_khz;
    properties.dlpack_device_type = 4;
    properties.dlpack_device_id = static_cast<std::int32_t>(properties.index);
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
  const DeviceInfo& info = device(index);
  return std::make_unique<Device>(cl_, info, process_end_, create_context(cl_, info), host_);
}

std::unique_ptr<plugin::Device> Driver::open_device_in(std::uint32_t index,
                                                       std::uint64_t native_context) {
  const DeviceInfo& info = device(index);
  return std::make_unique<Device>(cl_, info, process_end_, share_context(cl_, info, native_context),
                                  host_);
}

void Driver::stop(patchbay_driver* driver, std::uint64_t deadline_ns) noexcept {
  static_cast<Driver&>(plugin::detail::object(driver)).process_end_.stop(deadline_ns);
}

const void* Driver::extension(std::string_view name, std::uint32_t version) {
  static constexpr patchbay_exit_table kExit = {sizeof(patchbay_exit_table), stop};
  return name == PATCHBAY_EXTENSION_EXIT && version == 1 ? &kExit : nullptr;
}

}  // namespace patchbay::opencl

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/device_info.hpp"

#include <algorithm>
#include <cctype>

#include "cuda-cublas/api/error.hpp"

namespace patchbay::cuda {
namespace {

template <class... P, class... A>
void call(const DriverTable& driver, const Entry<int(P...)>& entry, A... arguments) {
  check(driver, entry.name, entry(arguments...));
}

int attribute(const DriverTable& driver, int which, DeviceNumber device) {
  int value = 0;
  call(driver, driver.device_attribute, &value, which, device);
  return value;
}

/// In lower case, as in sysfs; the driver uses capitals.
std::string pci_address(const DriverTable& driver, DeviceNumber device) {
  char text[32] = {};
  call(driver, driver.device_pci, text, static_cast<int>(sizeof text - 1), device);
  std::string address(text);
  std::transform(address.begin(), address.end(), address.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return address;
}

}  // namespace

DeviceInfo::DeviceInfo(const DriverTable& driver, int index) {
  call(driver, driver.device_get, &number, index);
  const auto value = [&](int which) {
    return static_cast<std::uint32_t>(attribute(driver, which, number));
  };
  char text[256] = {};
  call(driver, driver.device_name, text, static_cast<int>(sizeof text - 1), number);
  name = text;
  pci_address = cuda::pci_address(driver, number);
  call(driver, driver.device_uuid, &uuid, number);
  std::size_t bytes = 0;
  call(driver, driver.device_total_memory, &bytes, number);
  memory_bytes = bytes;
  architecture = 10 * attribute(driver, kCapabilityMajor, number) +
                 attribute(driver, kCapabilityMinor, number);
  compute_units = value(kMultiprocessorCount);
  warp_size = value(kWarpSize);
  max_group_size = value(kMaxThreadsPerBlock);
  is_integrated = value(kIntegrated) != 0;
}

std::vector<DeviceInfo> find_devices(const DriverTable& driver) {
  if (const Result code = driver.initialise(0); code != kSuccess) {
    throw plugin::StatusError(code == kErrorNoDevice ? PATCHBAY_NO_DEVICE : PATCHBAY_NO_DRIVER,
                              describe(driver, driver.initialise.name, code), code);
  }
  int count = 0;
  call(driver, driver.device_count, &count);
  if (count == 0) throw plugin::StatusError(PATCHBAY_NO_DEVICE, "the driver sees no device");
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) devices.emplace_back(driver, i);
  return devices;
}

}  // namespace patchbay::cuda

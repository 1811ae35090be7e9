// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/context/device_info.hpp"

#include <algorithm>
#include <cctype>

#include "kit/card/api/entries.hpp"

namespace patchbay::card {

DeviceInfo device_info(const Api& api, DeviceNumber number, const DeviceAttributes& attributes) {
  DeviceInfo info;
  info.number = number;
  const auto value = [&](int which) {
    int found = 0;
    call(api, api.device_attribute, &found, which, number);
    return static_cast<std::uint32_t>(found);
  };
  char name[256] = {};
  call(api, api.device_name, name, static_cast<int>(sizeof name - 1), number);
  info.name = name;
  // In lower case, as in sysfs; drivers use capitals.
  char address[32] = {};
  call(api, api.device_pci, address, static_cast<int>(sizeof address - 1), number);
  info.pci_address = address;
  std::transform(info.pci_address.begin(), info.pci_address.end(), info.pci_address.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  call(api, api.device_uuid, &info.uuid, number);
  std::size_t bytes = 0;
  call(api, api.device_total_memory, &bytes, number);
  info.memory_bytes = bytes;
  info.compute_units = value(attributes.compute_units);
  info.sub_group_width = value(attributes.sub_group_width);
  info.max_group_size = value(attributes.max_group_size);
  info.is_integrated = value(attributes.is_integrated) != 0;
  const auto optional = [&](int which) {
    int found = 0;
    const bool is_known = api.device_attribute(&found, which, number) == kSuccess && found > 0;
    return is_known ? static_cast<std::uint32_t>(found) : 0;
  };
  info.l2_cache_bytes = optional(attributes.l2_cache_bytes);
  info.shared_memory_bytes = optional(attributes.shared_memory_bytes);
  info.clock_khz = optional(attributes.clock_khz);
  info.memory_clock_khz = optional(attributes.memory_clock_khz);
  return info;
}

}  // namespace patchbay::card

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a plugin reports about one of its devices.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_DEVICE_INFO_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_DEVICE_INFO_H_

#include <cstdint>
#include <string>

#include "patchbay/device.h"
#include "patchbay/plugin/properties.h"

namespace patchbay::runtime {

/// Constant once the devices are enumerated.
struct DeviceInfo {
  std::uint32_t plugin_index = 0;  // the plugin's own number
  DeviceName name;
  std::string name_text;  // "fake:0"
  DeviceProperties properties;
  std::uint64_t host_addressable_kinds = 0;  // a bit for each kind of memory
  std::uint64_t alignment_bytes = 64;
  bool has_addresses = false;  // base plus offset is an address
  bool takes_fused_groups = false;
  bool takes_large_factors = false;
  std::int32_t dlpack_device_type = 0, dlpack_device_id = 0;
};

/// Reads and checks the properties of an enumerated device. Returns what is wrong, or nothing.
/// Bits that this library does not know are an error, unless the plugin `is_newer`.
std::string read_device_info(const patchbay_device_properties& raw, const std::string& backend,
                             bool is_newer, DeviceInfo& info);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_DEVICE_INFO_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries of ROCm SMI: the memory of the simulated driver's cards. It counts the cards in
// another order than the driver.
#include "hip/api/management_api.hpp"
#include "sim/machine.h"

using namespace patchbay::hip;
using namespace patchbay::sim;

PATCHBAY_SMI_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)

namespace {

constexpr int kInvalid = 1;

int device_of(std::uint32_t index) {
  return machine().config.devices - 1 - static_cast<int>(index);
}

}  // namespace

int rsmi_init(std::uint64_t) { return 0; }

int rsmi_num_monitor_devices(std::uint32_t* count) {
  *count = static_cast<std::uint32_t>(machine().config.devices);
  return 0;
}

/// Of "0000:c1:<device>.0", with a number of a partition in the upper bits.
int rsmi_dev_pci_id_get(std::uint32_t index, std::uint64_t* number) {
  if (!is_device(device_of(index))) return kInvalid;
  *number = std::uint64_t{1} << 28 | 0xc1 << 8 | static_cast<std::uint64_t>(device_of(index)) << 3;
  return 0;
}

int rsmi_dev_memory_total_get(std::uint32_t index, int type, std::uint64_t* bytes) {
  if (!is_device(device_of(index)) || type != kSmiDeviceMemory) return kInvalid;
  *bytes = machine().config.memory_bytes;
  return 0;
}

int rsmi_dev_memory_usage_get(std::uint32_t index, int type, std::uint64_t* bytes) {
  if (!is_device(device_of(index)) || type != kSmiDeviceMemory) return kInvalid;
  const std::lock_guard lock(machine().mutex);
  *bytes = machine().used_bytes(*machine().contexts[static_cast<std::size_t>(device_of(index))]);
  return 0;
}

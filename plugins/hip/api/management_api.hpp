// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of the management library (ROCm SMI) that are used; see driver_api.hpp.
#ifndef PATCHBAY_PLUGINS_HIP_API_MANAGEMENT_API_HPP_
#define PATCHBAY_PLUGINS_HIP_API_MANAGEMENT_API_HPP_

#include <cstdint>

namespace patchbay::hip {

// Entry by entry.
// clang-format off
// our name, the library's symbol, parameters; all return a code, 0 for success
#define PATCHBAY_SMI_ENTRIES(entry) \
  entry(initialise, rsmi_init, (std::uint64_t flags)) \
  entry(num_devices, rsmi_num_monitor_devices, (std::uint32_t* count)) \
  entry(pci_number, rsmi_dev_pci_id_get, (std::uint32_t index, std::uint64_t* number)) \
  entry(memory_total, rsmi_dev_memory_total_get, (std::uint32_t index, int type, std::uint64_t* bytes)) \
  entry(memory_used, rsmi_dev_memory_usage_get, (std::uint32_t index, int type, std::uint64_t* bytes))
// clang-format on

inline constexpr int kSmiDeviceMemory = 0;  // a type of memory

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_API_MANAGEMENT_API_HPP_

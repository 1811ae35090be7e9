// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Device properties that the driver reports without a context.
#ifndef PATCHBAY_KIT_CARD_CONTEXT_DEVICE_INFO_HPP_
#define PATCHBAY_KIT_CARD_CONTEXT_DEVICE_INFO_HPP_

#include <cstdint>
#include <string>

#include "kit/card/api/entries.hpp"

namespace patchbay::card {

inline constexpr std::uint64_t kAlignmentBytes = 256;  // of every allocation

struct DeviceInfo {
  DeviceNumber number = 0;
  std::string name, pci_address;
  std::string architecture;  // as the compiler calls it: "sm_90", "gfx90a:sramecc+:xnack-"
  Uuid uuid{};
  std::uint64_t memory_bytes = 0;
  std::uint32_t compute_units = 0, sub_group_width = 0, max_group_size = 0;
  std::uint32_t argument_bytes = 4096;  // of a kernel, at most
  bool is_integrated = false;           // shares its memory with the host
  // 0 if the driver does not know it.
  std::uint64_t l2_cache_bytes = 0, shared_memory_bytes = 0;
  std::uint32_t clock_khz = 0, memory_clock_khz = 0;
};

/// The vendor's numbers of these attributes.
struct DeviceAttributes {
  int compute_units, sub_group_width, max_group_size, is_integrated;
  int l2_cache_bytes, shared_memory_bytes, clock_khz, memory_clock_khz;
};

/// Everything but the architecture, which each vendor reports in its own way. Throws the driver's
/// errors.
DeviceInfo device_info(const Api& api, DeviceNumber number, const DeviceAttributes& attributes);

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_CONTEXT_DEVICE_INFO_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "hip/device/management.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "patchbay/plugin/kit/error.hpp"

#include "hip/api/toolkit.hpp"
#include "kit/card/api/lazy.hpp"

namespace patchbay::hip {
namespace {

/// The library's number of a PCI address: the domain, then 8 bits of bus, 5 of device, 3 of
/// function.
bool pci_number_of(const std::string& address, std::uint64_t& number) {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  const int found = std::sscanf(address.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function);
  number = std::uint64_t{domain} << 32 | std::uint64_t{bus} << 8 | device << 3 | function;
  return found == 4;
}

}  // namespace

Management::Management(plugin::Host host, int) {
  Library library =
      card::library_of(host, "hip_management_library", companion_files("rocm_smi64", {7, 6, 5, 1}));
#define PATCHBAY_HIP_FIND(member, symbol, parameters) library.find(member);
  PATCHBAY_SMI_ENTRIES(PATCHBAY_HIP_FIND)
#undef PATCHBAY_HIP_FIND
  if (!library.is_complete()) plugin::unsupported("no ROCm SMI: " + library.why());
  if (const int code = initialise(0); code != 0) {
    plugin::unsupported(std::string(initialise.name) + " gives " + std::to_string(code));
  }
}

plugin::Allocator::Info Management::memory_info(const card::DeviceInfo& info) const {
  std::uint64_t wanted = 0;
  std::uint32_t count = 0;
  if (!pci_number_of(info.pci_address, wanted) || num_devices(&count) != 0) count = 0;
  plugin::Allocator::Info result{};
  int num_found = 0;  // more than one where the card is partitioned
  for (std::uint32_t i = 0; i < count; ++i) {
    // The upper bits have the number of a partition of the card.
    constexpr std::uint64_t kAddressBits = 0xffffffff0000ffff;
    std::uint64_t found = 0, total = 0, used = 0;
    if (pci_number(i, &found) != 0 || (found & kAddressBits) != wanted) continue;
    const bool is_known = memory_total(i, kSmiDeviceMemory, &total) == 0 &&
                          memory_used(i, kSmiDeviceMemory, &used) == 0 && used <= total;
    if (!is_known) continue;
    result = {total - used, total};
    ++num_found;
  }
  if (num_found == 1) return result;
  plugin::unsupported("ROCm SMI does not know this device");
}

}  // namespace patchbay::hip

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "hip/device/vendor.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "patchbay/plugin/kit/error.hpp"

#include "hip/api/ranges_api.hpp"
#include "hip/api/toolkit.hpp"
#include "kit/card/api/lazy.hpp"
#include "kit/library/library.hpp"

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

std::unique_ptr<card::Products> Vendor::make_products(card::Context& context,
                                                      const card::DeviceInfo& info) {
  return std::make_unique<Blas>(context, info.architecture, uses_xf32_, blas());
}

card::DeviceInfo Vendor::device(int index) const {
  card::DeviceInfo info =
      card::device_info(api(), index,
                        {kMultiprocessorCount, kWarpSize, kMaxThreadsPerBlock, kIntegrated,
                         kL2CacheBytes, kSharedMemoryBytes, kClockKhz, kMemoryClockKhz});
  info.architecture = own_api().architecture(index);
  return info;
}

// ROCTx: what a profiler (rocprof, rocprofv3) shows of the program.

namespace {

/// The library of ROCprofiler-SDK, then the older one of ROCTracer. A profiler has loaded its own.
std::vector<std::string> files() {
  std::vector<std::string> result = companion_files("rocprofiler-sdk-roctx", {1, 0});
  for (std::string& file : companion_files("roctx64", {4})) result.push_back(std::move(file));
  return result;
}

}  // namespace

card::RangeCalls Vendor::find_range_calls(plugin::Host host) {
  Library library =
      card::library_of(host, "hip_ranges_library", files(), &Library::loaded_or_first_of);
  card::RangeCalls found;
#define PATCHBAY_HIP_FIND(member, symbol, parameters) library.find(#symbol, found.member);
  PATCHBAY_ROCTX_ENTRIES(PATCHBAY_HIP_FIND)
#undef PATCHBAY_HIP_FIND
  if (library.is_complete()) return found;
  host.log(PATCHBAY_LOG_INFO, "no ranges: " + library.why());
  return {};
}

}  // namespace patchbay::hip

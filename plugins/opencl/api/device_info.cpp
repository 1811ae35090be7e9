// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/api/device_info.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <utility>

#include "kit/machine/memory.hpp"

namespace patchbay::opencl {
namespace {

bool has_word(const std::string& words, const std::string& word) {
  return (" " + words + " ").find(" " + word + " ") != std::string::npos;
}

std::string pci_text(std::uint32_t domain, std::uint32_t bus, std::uint32_t device,
                     std::uint32_t function) {
  char text[40];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", domain, bus, device, function);
  return text;
}

/// The PCI address, from whichever extension reports it.
std::string pci_address(const Symbols& cl, cl_device device, const std::string& extensions) {
  if (has_word(extensions, "cl_khr_pci_bus_info")) {
    struct Address {
      std::uint32_t domain, bus, device, function;
    };
    const auto at = device_value<Address>(cl, device, kDevicePciBusInfoKhr);
    return pci_text(at.domain, at.bus, at.device, at.function);
  }
  if (has_word(extensions, "cl_nv_device_attribute_query")) {
    const auto bus = device_value<cl_uint>(cl, device, kDevicePciBusIdNv);
    const auto slot = device_value<cl_uint>(cl, device, kDevicePciSlotIdNv);
    return pci_text(0, bus, slot >> 3, slot & 7);
  }
  if (has_word(extensions, "cl_amd_device_attribute_query")) {
    struct Topology {
      std::uint32_t type;  // 1: PCI Express
      std::uint8_t unused[17], bus, device, function;
    };
    const auto at = device_value<Topology>(cl, device, kDeviceTopologyAmd);
    if (at.type == 1) return pci_text(0, at.bus, at.device, at.function);
  }
  return {};
}

/// Drivers do not know the limit of the control group. Beyond it the kernel ends the process.
std::uint64_t usable_bytes(std::uint64_t of_device, bool shares_host_memory) {
  const std::uint64_t of_process = machine::read_memory_state().total_bytes;  // 0 if not known
  return shares_host_memory && of_process > 0 ? std::min(of_device, of_process) : of_device;
}

}  // namespace

std::string device_text(const Symbols& cl, cl_device device, std::int64_t what) {
  std::size_t size = 0;
  const auto key = static_cast<cl_uint>(what);
  if (cl.clGetDeviceInfo(device, key, 0, nullptr, &size) != kSuccess || size == 0) return {};
  std::string text(size, '\0');
  if (cl.clGetDeviceInfo(device, key, size, text.data(), nullptr) != kSuccess) return {};
  text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
  const std::size_t first = text.find_first_not_of(' ');
  const std::size_t last = text.find_last_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

DeviceInfo::DeviceInfo(const Symbols& cl, std::string platform_name, cl_device device)
    : id(device),
      platform(std::move(platform_name)),
      name(device_text(cl, device, kDeviceName)),
      vendor(device_text(cl, device, kDeviceVendor)),
      driver_version(device_text(cl, device, kDriverVersion)),
      version(device_text(cl, device, kDeviceVersion)) {
  const auto number = [&](std::int64_t what) { return device_value<cl_bits>(cl, device, what); };
  const auto small = [&](std::int64_t what) { return device_value<cl_uint>(cl, device, what); };
  const std::string extensions = device_text(cl, device, kDeviceExtensions);
  is_cpu = (number(kDeviceType) & kDeviceTypeCpu) != 0;
  is_pocl = platform == kPocl;
  is_llvmpipe = name.starts_with("llvmpipe");
  // It ends the loops of a work-item after 65535 passes in all, without an error.
  has_long_items = is_cpu && !is_llvmpipe;
  shares_host_memory = small(kDeviceHostUnifiedMemory) != 0;
  has_f64 = number(kDeviceDoubleFpConfig) != 0;
  divides_exactly = (number(kDeviceSingleFpConfig) & kFpCorrectlyRoundedDivideSqrt) != 0;
  memory_bytes = usable_bytes(number(kDeviceGlobalMemSize), shares_host_memory);
  largest_allocation_bytes = number(kDeviceMaxMemAllocSize);
  alignment_bytes = small(kDeviceMemBaseAddrAlign) / 8;
  local_memory_bytes = number(kDeviceLocalMemSize);
  l2_cache_bytes = number(kDeviceGlobalMemCacheSize);
  compute_units = small(kDeviceMaxComputeUnits);
  clock_khz = 1000 * small(kDeviceMaxClockFrequency);  // in MHz
  vector_bytes = std::bit_floor(4 * small(kDeviceVectorWidthFloat));
  max_group_size =
      static_cast<std::uint32_t>(device_value<std::size_t>(cl, device, kDeviceMaxWorkGroupSize, 1));
  pci_address = opencl::pci_address(cl, device, extensions);
  if (has_word(extensions, "cl_khr_device_uuid")) {
    uuid = device_value<std::array<std::uint8_t, 16>>(cl, device, kDeviceUuidKhr);
  }
}

}  // namespace patchbay::opencl

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Device properties that the driver reports without a context.
#ifndef PATCHBAY_PLUGINS_OPENCL_API_DEVICE_INFO_HPP_
#define PATCHBAY_PLUGINS_OPENCL_API_DEVICE_INFO_HPP_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/kit/host.hpp"

#include "opencl/api/symbols.hpp"

namespace patchbay::opencl {

/// The name of PoCL's platform: a CPU driver that shares cache files between processes.
inline constexpr std::string_view kPocl = "Portable Computing Language";

struct DeviceInfo {
  DeviceInfo(const Symbols& cl, std::string platform_name, cl_device device);

  cl_device id;
  std::string platform, name, vendor, driver_version, version, pci_address;
  std::array<std::uint8_t, 16> uuid{};
  bool is_cpu, shares_host_memory, has_f64;
  bool is_pocl;          // of PoCL's platform
  bool is_llvmpipe;      // Mesa's renderer on the CPU
  bool has_long_items;   // a CPU, on which one work-item should do much work
  bool divides_exactly;  // f32 division and square root can be compiled to round correctly
  std::uint64_t memory_bytes, largest_allocation_bytes, alignment_bytes, local_memory_bytes;
  std::uint64_t l2_cache_bytes;  // 0 if the driver does not know it
  std::uint32_t compute_units, vector_bytes, max_group_size, clock_khz;
};

/// The usable devices of all platforms: OpenCL 1.2, with a compiler. Logs the devices that it
/// skips. Throws PATCHBAY_NO_DEVICE with the reason for each platform if there is none.
std::vector<DeviceInfo> find_devices(const Symbols& cl, plugin::Host host);

/// A text property; empty if the driver does not know it.
std::string device_text(const Symbols& cl, cl_device device, std::int64_t what);
/// A number or flag property; `otherwise` if the driver does not know it.
template <class T>
T device_value(const Symbols& cl, cl_device device, std::int64_t what, T otherwise = T{}) {
  T value = otherwise;
  const cl_int code =
      cl.clGetDeviceInfo(device, static_cast<cl_uint>(what), sizeof value, &value, nullptr);
  return code == kSuccess ? value : otherwise;
}

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_API_DEVICE_INFO_HPP_

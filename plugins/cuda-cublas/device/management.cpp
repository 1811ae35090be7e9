// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/management.hpp"

#include <string>
#include <string_view>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::cuda {
namespace {

/// "GPU-5e6f0a1b-0000-0000-0000-000000000001"; a part of a card begins with "MIG-".
std::string uuid_text(std::string_view prefix, const card::Uuid& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(prefix);
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

Management::Management(plugin::Host host, int) {
  Library library(host.option("cuda_management_library").value_or("libnvidia-ml.so.1"),
                  Library::Lifetime::kProcess);
#define PATCHBAY_CUDA_FIND(member, symbol, parameters) library.find(member);
  PATCHBAY_NVML_ENTRIES(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
  if (!library.is_complete()) plugin::unsupported("no NVML: " + library.why());
  if (const int code = initialise(); code != 0) {
    plugin::unsupported(std::string(initialise.name) + " gives " + std::to_string(code));
  }
}

plugin::Allocator::Info Management::memory_info(const card::DeviceInfo& info) const {
  for (const char* prefix : {"GPU-", "MIG-"}) {
    ManagedDevice device = nullptr;
    ManagedMemory found{};
    const bool is_known = find_device(uuid_text(prefix, info.uuid).c_str(), &device) == 0;
    if (is_known && memory(device, &found) == 0) return {found.free_bytes, found.total_bytes};
  }
  plugin::unsupported("NVML does not know this device");
}

}  // namespace patchbay::cuda

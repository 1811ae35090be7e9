// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries of NVML: the memory of the simulated driver's cards, without a context.
#include <cstdio>
#include <string>

#include "cuda-cublas/api/management_api.hpp"
#include "sim/machine.h"

namespace patchbay::cuda {

struct ManagedDeviceObject {
  int number;
};

}  // namespace patchbay::cuda

using namespace patchbay;
using namespace patchbay::cuda;
using namespace patchbay::sim;

PATCHBAY_NVML_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)
extern "C" int cuDeviceGetUuid_v2(Uuid* uuid, int device);

namespace {

constexpr int kNotFound = 6;

std::string text_of(int device) {
  Uuid uuid{};
  cuDeviceGetUuid_v2(&uuid, device);
  char digits[33] = {};
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    std::snprintf(digits + 2 * i, 3, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
  }
  const std::string all = digits;
  return "GPU-" + all.substr(0, 8) + "-" + all.substr(8, 4) + "-" + all.substr(12, 4) + "-" +
         all.substr(16, 4) + "-" + all.substr(20);
}

}  // namespace

int nvmlInit_v2() { return 0; }

int nvmlDeviceGetHandleByUUID(const char* uuid, ManagedDevice* device) {
  static ManagedDeviceObject objects[] = {{0}, {1}, {2}, {3}};
  for (ManagedDeviceObject& object : objects) {
    if (!is_device(object.number) || text_of(object.number) != uuid) continue;
    *device = &object;
    return 0;
  }
  return kNotFound;
}

int nvmlDeviceGetMemoryInfo(ManagedDevice device, ManagedMemory* memory) {
  const std::lock_guard lock(machine().mutex);
  const auto& context = *machine().contexts[static_cast<std::size_t>(device->number)];
  const std::uint64_t total = machine().config.memory_bytes, used = machine().used_bytes(context);
  *memory = {total, total - used, used};
  return 0;
}

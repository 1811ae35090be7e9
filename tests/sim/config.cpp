// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include <cstdlib>
#include <string>

namespace patchbay::sim {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv((std::string("PATCHBAY_SIM_") + name).c_str());
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

Config::Config()
    : init_code(static_cast<int>(setting("INIT", 0))),
      driver_version(static_cast<int>(setting("DRIVER_VERSION", 13000))),
      devices(static_cast<int>(setting("DEVICES", 2))),
      architecture(static_cast<int>(setting("ARCHITECTURE", 80))),
      peer(setting("PEER", 1) != 0),
      memory_bytes(setting("MEMORY_BYTES", std::uint64_t{1} << 30)),
      blas_bytes(setting("BLAS_BYTES", std::uint64_t{8} << 20)),
      blas_status(static_cast<int>(setting("BLAS_STATUS", 3))),
      fail_allocation(setting("FAIL_ALLOCATION", 0)),
      fail_launch(setting("FAIL_LAUNCH", 0)),
      lose_device(setting("LOSE_DEVICE", 0)),
      refuse_loads(setting("REFUSE_LOADS", 0)),
      refusal(static_cast<int>(setting("REFUSAL", 209))) {}

}  // namespace patchbay::sim

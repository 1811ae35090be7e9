// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include <cstdlib>

#include "vendor.h"

namespace patchbay::sim {
namespace {

#ifdef PATCHBAY_SIM_HIP
constexpr int kVersion = 60200000, kFullStatus = vendor::kBlasMemoryError;
constexpr const char* kArchitecture = "gfx90a:sramecc+:xnack-";
#else
constexpr int kVersion = 13000, kFullStatus = vendor::kBlasAllocationFailed;
constexpr const char* kArchitecture = "80";
#endif

int integer(const char* name, int otherwise) {
  return static_cast<int>(setting(name, static_cast<std::uint64_t>(otherwise)));
}

}  // namespace

std::string text_setting(const char* name, const char* otherwise) {
  const std::string prefix = "PATCHBAY_SIM_";
  for (const std::string& variable : {prefix + kVendor + "_" + name, prefix + name}) {
    const char* const text = std::getenv(variable.c_str());
    if (text != nullptr && *text != '\0') return text;
  }
  return otherwise;
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const std::string text = text_setting(name, "");
  return text.empty() ? otherwise : std::strtoull(text.c_str(), nullptr, 10);
}

Config::Config()
    : init_code(integer("INIT", 0)),
      driver_version(integer("DRIVER_VERSION", kVersion)),
      devices(integer("DEVICES", 2)),
      architecture(text_setting("ARCHITECTURE", kArchitecture)),
      sub_group_width(integer("WIDTH", 1)),
      group_limit(integer("GROUP_LIMIT", 1024)),
      peer(setting("PEER", 1) != 0),
      lazy(setting("LAZY", 0) != 0),
      capture(setting("CAPTURE", 1) != 0),
      memory_bytes(setting("MEMORY_BYTES", std::uint64_t{1} << 30)),
      blas_bytes(setting("BLAS_BYTES", std::uint64_t{8} << 20)),
      blas_status(integer("BLAS_STATUS", kFullStatus)),
      blas_major(integer("BLAS_MAJOR", 13)),
      blas_lt_status(integer("BLAS_LT_STATUS", 0)),
      blas_lt_plans(setting("BLAS_LT_PLANS", 1) != 0),
      dnn_status(integer("DNN_STATUS", 0)),
      dnn_plans(setting("DNN_PLANS", 1) != 0),
      dnn_version(setting("DNN_VERSION", 91301)),
      fail_allocation(setting("FAIL_ALLOCATION", 0)),
      fail_launch(setting("FAIL_LAUNCH", 0)),
      lose_device(setting("LOSE_DEVICE", 0)),
      loss(integer("LOSS", card::kErrorEccUncorrectable)),
      stays_broken(setting("STAYS_BROKEN", 0) != 0),
      refuse_loads(setting("REFUSE_LOADS", 0)),
      refusal(integer("REFUSAL", 209)) {}

}  // namespace patchbay::sim

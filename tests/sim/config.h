// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the simulated driver is to be like: environment variables PATCHBAY_SIM_<NAME>, or
// PATCHBAY_SIM_CUDA_<NAME> and PATCHBAY_SIM_HIP_<NAME> for one vendor.
#ifndef PATCHBAY_TESTS_SIM_CONFIG_H_
#define PATCHBAY_TESTS_SIM_CONFIG_H_

#include <cstdint>
#include <string>

#include "vendor.h"

namespace patchbay::sim {

/// A variable's text, or number in decimal.
std::string text_setting(const char* name, const char* otherwise);
std::uint64_t setting(const char* name, std::uint64_t otherwise);

inline int integer(const char* name, int otherwise) {
  return static_cast<int>(setting(name, static_cast<std::uint64_t>(otherwise)));
}
inline bool flag(const char* name, bool otherwise) { return setting(name, otherwise) != 0; }

#ifdef PATCHBAY_SIM_HIP
inline constexpr int kFullStatus = vendor::kBlasMemoryError;
#else
inline constexpr int kFullStatus = vendor::kBlasAllocationFailed;
#endif

/// Settings of the simulated cards, read from the environment.
struct Config {
  int init_code = integer("INIT", 0);  // what the initialisation returns
  int driver_version = integer("DRIVER_VERSION", kHasContexts ? 13000 : 60200000);
  int devices = integer("DEVICES", 2);
  // The same for all devices.
  std::string architecture =
      text_setting("ARCHITECTURE", kHasContexts ? "80" : "gfx90a:sramecc+:xnack-");
  int sub_group_width = integer("WIDTH", 1);       // work-items of the executor do not run in step
  int group_limit = integer("GROUP_LIMIT", 1024);  // the work-items of a group that kernels allow
  bool peer = flag("PEER", true);
  bool lazy = flag("LAZY", false);       // work starts only when somebody waits or asks
  bool capture = flag("CAPTURE", true);  // whether streams can be recorded
  std::uint64_t memory_bytes = setting("MEMORY_BYTES", 1u << 30);  // of a device
  std::uint64_t blas_bytes = setting("BLAS_BYTES", 8u << 20);      // what a handle takes of it
  // What the creation of handles returns: of BLAS without these bytes, of LT and DNN always.
  int blas_status = integer("BLAS_STATUS", kFullStatus);
  int blas_lt_status = integer("BLAS_LT_STATUS", 0), dnn_status = integer("DNN_STATUS", 0);
  int blas_major = integer("BLAS_MAJOR", 13);  // the CUDA whose cuBLAS this is
  // Whether the heuristics of LT and DNN have results.
  bool blas_lt_plans = flag("BLAS_LT_PLANS", true), dnn_plans = flag("DNN_PLANS", true);
  std::uint64_t dnn_version = setting("DNN_VERSION", 91301);  // attention exists since 9.13
  // Faults, each at the n-th such call since the initialisation; 0: never.
  std::uint64_t fail_allocation = setting("FAIL_ALLOCATION", 0);  // no memory
  // Fails once somebody waits, and breaks its context.
  std::uint64_t fail_launch = setting("FAIL_LAUNCH", 0);
  // The copy or launch finds its device broken with this code.
  std::uint64_t lose_device = setting("LOSE_DEVICE", 0);
  int loss = integer("LOSS", card::kErrorEccUncorrectable);
  bool stays_broken = flag("STAYS_BROKEN", false);  // no later context of the process is sound
  // The first n modules are refused with this code.
  std::uint64_t refuse_loads = setting("REFUSE_LOADS", 0);
  int refusal = integer("REFUSAL", 209);
};

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_CONFIG_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the simulated driver is to be like: environment variables PATCHBAY_SIM_<NAME>, or
// PATCHBAY_SIM_CUDA_<NAME> and PATCHBAY_SIM_HIP_<NAME> for one vendor.
#ifndef PATCHBAY_TESTS_SIM_CONFIG_H_
#define PATCHBAY_TESTS_SIM_CONFIG_H_

#include <cstdint>
#include <string>

namespace patchbay::sim {

struct Config {
  /// Reads the environment.
  Config();

  int init_code;               // INIT: what the initialisation returns
  int driver_version;          // DRIVER_VERSION: CUDA 13.0, HIP 6.2
  int devices;                 // DEVICES, 2
  std::string architecture;    // ARCHITECTURE of all devices: 80, gfx90a:sramecc+:xnack-
  int sub_group_width;         // WIDTH, 1: work-items of the executor do not run in step
  int group_limit;             // GROUP_LIMIT, 1024: the work-items of a group that kernels allow
  bool peer;                   // PEER, 1
  bool lazy;                   // LAZY, 0: work starts only when somebody waits or asks
  bool capture;                // CAPTURE, 1: whether streams can be recorded
  std::uint64_t memory_bytes;  // MEMORY_BYTES of a device, 1 GiB
  std::uint64_t blas_bytes;    // BLAS_BYTES, 8 MiB: what a handle of BLAS or DNN takes of it
  int blas_status;             // BLAS_STATUS: what the handle's creation returns without these
  int blas_major;              // BLAS_MAJOR, 13: the CUDA whose cuBLAS this is
  int blas_lt_status;          // BLAS_LT_STATUS, 0: what the creation of a handle of LT returns
  bool blas_lt_plans;          // BLAS_LT_PLANS, 1: whether the heuristics of LT have results
  int dnn_status;              // DNN_STATUS, 0: what the creation of a handle of DNN returns
  bool dnn_plans;              // DNN_PLANS, 1: whether the heuristics of DNN have results
  std::uint64_t dnn_version;   // DNN_VERSION, 91301: attention exists since 9.13
  // Faults, each at the n-th such call since the initialisation; 0: never.
  std::uint64_t fail_allocation;  // FAIL_ALLOCATION: no memory
  std::uint64_t fail_launch;      // FAIL_LAUNCH: fails once somebody waits, and breaks its context
  std::uint64_t lose_device;      // LOSE_DEVICE: the copy or launch finds its device broken ...
  int loss;                       // LOSS, 214: ... with this code
  bool stays_broken;              // STAYS_BROKEN, 0: no later context of the process is sound
  std::uint64_t refuse_loads;     // REFUSE_LOADS: the first n modules are refused ...
  int refusal;                    // REFUSAL, 209: ... with this code
};

/// A variable's text, or number in decimal.
std::string text_setting(const char* name, const char* otherwise);
std::uint64_t setting(const char* name, std::uint64_t otherwise);

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_CONFIG_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the simulated driver is to be like: environment variables PATCHBAY_SIM_<NAME>.
#ifndef PATCHBAY_TESTS_SIM_CONFIG_H_
#define PATCHBAY_TESTS_SIM_CONFIG_H_

#include <cstdint>

namespace patchbay::sim {

struct Config {
  /// Reads the environment.
  Config();

  int init_code;               // INIT: what cuInit gives
  int driver_version;          // DRIVER_VERSION, 13000
  int devices;                 // DEVICES, 2
  int architecture;            // ARCHITECTURE, 80: all devices'
  bool peer;                   // PEER, 1
  std::uint64_t memory_bytes;  // MEMORY_BYTES of a device, 1 GiB
  std::uint64_t blas_bytes;    // BLAS_BYTES, 8 MiB: what a handle of the BLAS library takes of it
  int blas_status;             // BLAS_STATUS, 3: what cublasCreate gives when they are not there
  // Faults, each at the n-th such call since cuInit; 0: never.
  std::uint64_t fail_allocation;  // FAIL_ALLOCATION: no memory
  std::uint64_t fail_launch;      // FAIL_LAUNCH: fails once somebody waits, and breaks its context
  std::uint64_t lose_device;      // LOSE_DEVICE: the copy or launch finds its device broken
  std::uint64_t refuse_loads;     // REFUSE_LOADS: the first n modules are refused ...
  int refusal;                    // REFUSAL, 209: ... with this code
};

/// A variable's number, in decimal.
std::uint64_t setting(const char* name, std::uint64_t otherwise);

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_CONFIG_H_

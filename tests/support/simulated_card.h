// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_SUPPORT_SIMULATED_CARD_H_
#define PATCHBAY_TESTS_SUPPORT_SIMULATED_CARD_H_

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "support/absence.h"
#include "support/paths.h"

namespace patchbay::test {

/// A vendor of cards whose libraries are simulated (tests/sim).
struct CardVendor {
  const char *plugin, *backend;
  std::map<std::string, std::string> settings;  // that replace its libraries by simulated ones
};

inline const std::vector<CardVendor>& card_vendors() {
  static const std::vector<CardVendor> vendors = {
      {"cuda-cublas",
       "cuda",
       {{"cuda_library", simulated_library("cuda")},
        {"cuda_rtc_library", simulated_library("nvrtc")},
        {"cuda_blas_library", simulated_library("cublas")},
        {"cuda_blas_lt_library", simulated_library("cublaslt")},
        {"cuda_dnn_library", simulated_library("cudnn")},
        {"cuda_management_library", simulated_library("nvml")},
        {"cuda_ranges_library", simulated_library("nvtx")}}},
      {"hip",
       "hip",
       {{"hip_library", simulated_library("hip")},
        {"hip_rtc_library", simulated_library("hiprtc")},
        {"hip_comgr_library", simulated_library("hiprtc")},
        {"hip_blas_library", simulated_library("rocblas")},
        {"hip_management_library", simulated_library("rocm_smi")},
        {"hip_ranges_library", simulated_library("roctx")}}}};
  return vendors;
}

/// The settings of all vendors whose plugins are built. Empty if PATCHBAY_TEST_HARDWARE is set, for
/// a machine with a card.
inline std::map<std::string, std::string> simulated_card_settings() {
  std::map<std::string, std::string> all;
  if (std::getenv("PATCHBAY_TEST_HARDWARE") != nullptr) return all;
  for (const CardVendor& vendor : card_vendors()) {
    if (is_built(vendor.plugin)) all.insert(vendor.settings.begin(), vendor.settings.end());
  }
  return all;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_SIMULATED_CARD_H_

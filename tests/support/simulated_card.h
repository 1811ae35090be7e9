// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_SUPPORT_SIMULATED_CARD_H_
#define PATCHBAY_TESTS_SUPPORT_SIMULATED_CARD_H_

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "support/absence.h"

namespace patchbay::test {

/// A vendor of cards whose libraries are simulated (tests/sim).
struct CardVendor {
  const char *plugin, *backend;
  std::map<std::string, std::string> settings;  // that replace its libraries by simulated ones
};

inline const std::vector<CardVendor>& card_vendors() {
  const auto library = [](const char* name) {
    return std::string(PATCHBAY_TEST_SIM_DIR "/libpatchbay_sim_") + name + ".so";
  };
  static const std::vector<CardVendor> vendors = {{"cuda-cublas",
                                                   "cuda",
                                                   {{"cuda_library", library("cuda")},
                                                    {"cuda_rtc_library", library("nvrtc")},
                                                    {"cuda_blas_library", library("cublas")},
                                                    {"cuda_blas_lt_library", library("cublaslt")},
                                                    {"cuda_dnn_library", library("cudnn")},
                                                    {"cuda_management_library", library("nvml")},
                                                    {"cuda_ranges_library", library("nvtx")}}},
                                                  {"hip",
                                                   "hip",
                                                   {{"hip_library", library("hip")},
                                                    {"hip_rtc_library", library("hiprtc")},
                                                    {"hip_comgr_library", library("hiprtc")},
                                                    {"hip_blas_library", library("rocblas")},
                                                    {"hip_management_library", library("rocm_smi")},
                                                    {"hip_ranges_library", library("roctx")}}}};
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

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_SUPPORT_SIMULATED_CARD_H_
#define PATCHBAY_TESTS_SUPPORT_SIMULATED_CARD_H_

#include <cstdlib>
#include <map>
#include <string>

#include "support/absence.h"

namespace patchbay::test {

/// Settings that replace a card's libraries by the simulated ones (tests/sim). Empty if
/// PATCHBAY_TEST_HARDWARE is set, for a machine with a card, or if the plugin is not built.
inline std::map<std::string, std::string> simulated_card_settings() {
  if (std::getenv("PATCHBAY_TEST_HARDWARE") != nullptr || !is_built("cuda-cublas")) return {};
  return {{"cuda_library", PATCHBAY_TEST_SIM_DIR "/libpatchbay_sim_cuda.so"},
          {"cuda_rtc_library", PATCHBAY_TEST_SIM_DIR "/libpatchbay_sim_nvrtc.so"},
          {"cuda_blas_library", PATCHBAY_TEST_SIM_DIR "/libpatchbay_sim_cublas.so"}};
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_SIMULATED_CARD_H_

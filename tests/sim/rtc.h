// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A program of the simulated run-time compiler.
#ifndef PATCHBAY_TESTS_SIM_RTC_H_
#define PATCHBAY_TESTS_SIM_RTC_H_

#include <string>

#include "image.h"
#include "vendor.h"

namespace patchbay::card {

struct ProgramObject {
  std::string text, log;
  sim::Image image;
};

}  // namespace patchbay::card

namespace patchbay::sim {

PATCHBAY_CARD_RTC_ENTRIES(PATCHBAY_SIM_SIGNATURE)
PATCHBAY_SIM_RTC_SYMBOLS(PATCHBAY_SIM_DECLARE)

/// Lets the kernel executor judge the text, and keeps it as the image.
RtcResult build(ProgramObject& program, bool is_code, const std::string& architecture,
                bool flushes);

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_RTC_H_

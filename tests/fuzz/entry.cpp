// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls; PATCHBAY_FUZZ_TARGET names one of targets.h.
#include <cstddef>
#include <cstdint>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  patchbay::fuzz::PATCHBAY_FUZZ_TARGET({reinterpret_cast<const char*>(data), size_bytes});
  return 0;
}

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A library of an application that computes with the default runtime. Opened by hosting_program.
#include <exception>

#include <patchbay/patchbay.h>

/// 0, or 1 for a wrong sum, 2 for an exception. A transposed copy needs the runtime's own thread.
extern "C" __attribute__((visibility("default"))) int compute(const char* device) {
  using namespace patchbay;
  try {
    const Tensor columns = ones({1000, 50}, Device(device)).t();
    return sum(columns.to("cpu:0", {.non_blocking = true})).item<float>() == 50000 ? 0 : 1;
  } catch (const std::exception&) {
    return 2;
  }
}

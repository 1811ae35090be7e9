// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Compiles a kernel for a device and runs it: children_program DEVICE. Prints an element, or an
// error.
#include <cstdio>

#include <patchbay/patchbay.h>

namespace {

constexpr const char* kText = R"(
PATCHBAY_KERNEL(twice)(PATCHBAY_INOUT(f32, x)) {
  PATCHBAY_BIND(f32, x);
  const i64 i = PATCHBAY_GLOBAL_ID64(0);
  x[i] = 2.0f * x[i];
}
)";

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const patchbay::Device device(argv[1]);
    const patchbay::Tensor x = patchbay::full({4}, 1.5F, device);
    patchbay::KernelModule::from_source(device, kText).kernel("twice").launch({.groups = {4}}, {x});
    std::printf("%g\n", static_cast<double>(x.to_vector<float>()[3]));
  } catch (const patchbay::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return 0;
}

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tests of users' kernels, on each kind of device that loads them.
#ifndef PATCHBAY_TESTS_KERNELS_KERNEL_DEVICE_TEST_H_
#define PATCHBAY_TESTS_KERNELS_KERNEL_DEVICE_TEST_H_

#include <string>
#include <string_view>

#include "kernels/kernels.h"
#include "support/device_test.h"

namespace patchbay::test {

/// As test_runtime(), and the devices of OpenCL. Never destroyed either.
inline Runtime& kernel_runtime() {
  static Runtime& runtime = *new Runtime([] {
    RuntimeOptions result = options();
    result.plugins.push_back("opencl");
    return result;
  }());
  return runtime;
}

/// Why there is no device of OpenCL here; empty if there is one.
inline std::string why_no_opencl() {
  for (const PluginInfo& info : kernel_runtime().plugins()) {
    if (info.name == "opencl") {
      return info.status == PluginStatus::kLoaded ? "" : "no opencl:0: " + info.reason;
    }
  }
  return "no opencl:0: the plugin is not built";
}

/// A suite derived from it runs on each device of PATCHBAY_ON_EACH_KERNEL_DEVICE.
class KernelDeviceTest : public testing::TestWithParam<const char*> {
 protected:
  KernelDeviceTest()
      : missing_(std::string_view(GetParam()) == "opencl:0" ? why_no_opencl() : ""),
        device_(kernel_runtime().device(missing_.empty() ? GetParam() : "cpu:0")) {}

  void SetUp() override {
    if (!missing_.empty()) GTEST_SKIP() << missing_;
  }

  const std::string missing_;
  const Device device_;
};

#define PATCHBAY_ON_EACH_KERNEL_DEVICE(suite)                                       \
  INSTANTIATE_TEST_SUITE_P(, suite, testing::Values("cpu:0", "fake:0", "opencl:0"), \
                           ::patchbay::test::device_test_name)

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_KERNELS_KERNEL_DEVICE_TEST_H_

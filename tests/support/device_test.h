// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tests that run once on each kind of device: one that the host can address, and one it can't.
#ifndef PATCHBAY_TESTS_SUPPORT_DEVICE_TEST_H_
#define PATCHBAY_TESTS_SUPPORT_DEVICE_TEST_H_

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "unit/runtime_fixture.h"

namespace patchbay::test {

/// cpu:0, cpu:1, fake:0 and fake:1. Never destroyed: tensors of static storage may outlive main.
inline Runtime& test_runtime() {
  static Runtime& runtime = *new Runtime(options());
  return runtime;
}
inline Device test_device(std::string_view name) { return test_runtime().device(name); }

/// A suite derived from it runs on each device of PATCHBAY_ON_EACH_DEVICE.
class DeviceTest : public testing::TestWithParam<const char*> {
 protected:
  DeviceTest() : device_(test_device(GetParam())) {}

  const Device device_;
};

inline std::string device_test_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  name.erase(std::remove(name.begin(), name.end(), ':'), name.end());
  return name;
}

#define PATCHBAY_ON_EACH_DEVICE(suite)                                  \
  INSTANTIATE_TEST_SUITE_P(, suite, testing::Values("cpu:0", "fake:0"), \
                           ::patchbay::test::device_test_name)

/// How often something was copied from `from` to `to` (device names, or "host"), since the start.
inline std::uint64_t num_copies(std::string_view from, std::string_view to) {
  return test_runtime().ledger().total(from, to).copies;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_DEVICE_TEST_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// No loader, no platform, no device: ordinary answers, each with its reason.
#include "loaders.h"

namespace patchbay::opencl_test {
namespace {

void expect_absent(const std::string& library, PluginStatus status, const std::string& reason) {
  const Runtime runtime = runtime_on(library);
  const PluginInfo info = plugin_info(runtime);
  EXPECT_EQ(to_string(info.status), to_string(status));
  EXPECT_NE(info.reason.find(reason), std::string::npos) << info.reason;
  EXPECT_EQ(info.reason.find('\n'), std::string::npos) << info.reason;
  EXPECT_TRUE(info.devices.empty());
  EXPECT_NE(runtime.explain().find(reason), std::string::npos);
}

TEST(OpenclAbsence, NoLoader) {
  expect_absent("/nowhere/libOpenCL.so.1", PluginStatus::kNoDriver, "/nowhere/libOpenCL.so.1");
  expect_absent("/nowhere/libOpenCL.so.1", PluginStatus::kNoDriver, "option opencl_library");
}

TEST(OpenclAbsence, LoaderWithoutEntries) {
  expect_absent("icd_without_entries", PluginStatus::kNoDriver, "no symbol clGetPlatformIDs");
}

TEST(OpenclAbsence, NoPlatform) {
  expect_absent("icd_without_platforms", PluginStatus::kNoDevice, "knows no platform");
}

TEST(OpenclAbsence, PlatformWithoutDevice) {
  expect_absent("icd_without_devices", PluginStatus::kNoDevice,
                "platform 'Bare platform' has no device");
}

TEST(OpenclAbsence, PlatformTooOld) {
  expect_absent("icd_too_old", PluginStatus::kNoDevice,
                "platform 'Bare platform' has OpenCL 1.1 test, not 1.2");
}

}  // namespace
}  // namespace patchbay::opencl_test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// No loader, no platform, no device: ordinary answers, each with its reason.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "loaders.h"
#include "support/environment_variable.h"
#include "support/private_mounts.h"
#include "support/scratch_directory.h"

namespace patchbay::opencl_test {
namespace {

void expect_absent(const std::string& library, PluginStatus status, const std::string& reason) {
  const Runtime runtime = runtime_on(library);
  const PluginInfo info = plugin_info(runtime);
  EXPECT_EQ(to_string(info.status), to_string(status));
  EXPECT_HAS(info.reason, reason);
  EXPECT_EQ(info.reason.find('\n'), std::string::npos) << info.reason;
  EXPECT_TRUE(info.devices.empty());
  EXPECT_HAS(runtime.explain(), reason);
}

TEST(OpenclAbsence, NoLoader) {
  expect_absent("/nowhere/libOpenCL.so.1", PluginStatus::kNoDriver, "/nowhere/libOpenCL.so.1");
  expect_absent("/nowhere/libOpenCL.so.1", PluginStatus::kNoDriver, "setting opencl_library");
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

/// The loader would wait for a writer.
TEST(OpenclAbsence, DriverFileThatIsAFifo) {
  const test::ScratchDirectory folder;
  const std::string fifo = folder.path() / "fifo", named = folder.path() / "named.icd";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::ofstream(named) << fifo << '\n';
  const auto expect_refused = [&](const std::string& place, const std::string& file) {
    const test::EnvironmentVariable variable("OCL_ICD_VENDORS", place);
    expect_absent("", PluginStatus::kNoDriver,
                  "the ICD loader would open '" + file +
                      "': it is no regular file. Correct OCL_ICD_VENDORS, or "
                      "remove the file");
  };
  expect_refused(fifo, fifo);
  expect_refused(named, fifo);
  const std::string direct = folder.path() / "direct.icd";
  ASSERT_EQ(mkfifo(direct.c_str(), 0600), 0);
  expect_refused(direct, direct);
  std::filesystem::remove(named);
  expect_refused(folder.path(), direct);
}

/// A runtime in a process that sees an empty folder there. Prints why there is no device, and
/// removes `scratch`.
void list_without(const char* folder, const std::filesystem::path& scratch = {}) {
  if (!test::leave_mounts()) std::exit(2);
  const test::SmallDisk empty(folder, 4);
  if (!empty.is_mounted()) std::exit(3);
  const Runtime runtime = runtime_on("");
  const PluginInfo info = plugin_info(runtime);
  std::cerr << to_string(info.status) << ": " << info.reason << '\n';
  // What needs no driver works.
  const bool works = ones({2}, runtime.device("cpu:0")).to_vector<float>().at(1) == 1;
  std::filesystem::remove_all(scratch);
  std::exit(works && info.devices.empty() ? 0 : 4);
}

TEST(OpenclAbsence, PoclWithoutTheKernelsListOfProcessors) {
  if (!std::filesystem::exists("/etc/OpenCL/vendors/pocl.icd")) GTEST_SKIP() << "no PoCL here";
  if (!test::may_mount()) GTEST_SKIP() << "this user may not hide /sys";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const test::EnvironmentVariable alone("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd");
  const char* const reason =
      "no-device: platform 'Portable Computing Language' needs /sys/devices/system/cpu, without "
      "which it ends the process: mount sysfs at /sys";
  EXPECT_EXIT(list_without("/sys"), testing::ExitedWithCode(0), reason);
  EXPECT_EXIT(list_without("/sys/devices/system/cpu"), testing::ExitedWithCode(0), reason);
}

/// The loader itself asks each of several drivers.
TEST(OpenclAbsence, PoclAmongOthersWithoutTheKernelsListOfProcessors) {
  if (!std::filesystem::exists("/etc/OpenCL/vendors/pocl.icd")) GTEST_SKIP() << "no PoCL here";
  if (!test::may_mount()) GTEST_SKIP() << "this user may not hide /sys";
  const test::ScratchDirectory drivers;
  std::filesystem::copy("/etc/OpenCL/vendors/pocl.icd", drivers.path() / "first.icd");
  std::filesystem::copy("/etc/OpenCL/vendors/pocl.icd", drivers.path() / "second.icd");
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const test::EnvironmentVariable variable("OCL_ICD_VENDORS", drivers.path().string());
  EXPECT_EXIT(list_without("/sys", drivers.path()), testing::ExitedWithCode(0),
              "no-device: PoCL, one of the installed drivers, needs /sys/devices/system/cpu, "
              "without which it ends the process: mount sysfs at /sys, or name another driver's "
              ".icd file by OCL_ICD_VENDORS");
}

}  // namespace
}  // namespace patchbay::opencl_test

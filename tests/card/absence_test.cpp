// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// No driver, an old one, no card: ordinary answers, each with its reason.
#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

class SimAbsence : public SimTest {
 protected:
  static void expect_absent(const std::string& file, PluginStatus status,
                            const std::string& reason) {
    const Runtime runtime(options({{"cuda_library", file}}));
    (void)runtime.devices();  // opens every plugin
    for (const PluginInfo& info : runtime.plugins()) {
      if (info.name != "cuda-cublas") continue;
      EXPECT_EQ(to_string(info.status), to_string(status)) << info.reason;
      EXPECT_NE(info.reason.find(reason), std::string::npos) << info.reason;
      EXPECT_EQ(info.reason.find('\n'), std::string::npos) << info.reason;
      EXPECT_TRUE(info.devices.empty());
      EXPECT_NE(runtime.explain().find(reason), std::string::npos);
      EXPECT_EQ(runtime.device("cpu").name(), "cpu:0");  // the others are not concerned
      return;
    }
    ADD_FAILURE() << "the runtime does not list the plugin";
  }
};

TEST_F(SimAbsence, NoLibrary) {
  expect_absent("/nowhere/libcuda.so.1", PluginStatus::kNoDriver, "/nowhere/libcuda.so.1");
  expect_absent("/nowhere/libcuda.so.1", PluginStatus::kNoDriver, "(option cuda_library)");
}

TEST_F(SimAbsence, LibraryWithoutEntries) {
  expect_absent(library("bare_driver"), PluginStatus::kNoDriver,
                "libpatchbay_sim_bare_driver.so: no symbol cuInit");
}

TEST_F(SimAbsence, Stub) {
  set("INIT", "34");
  expect_absent(library("cuda"), PluginStatus::kNoDriver,
                "cuDriverGetVersion gives 34; is it a stub? Install a driver");
}

TEST_F(SimAbsence, NoDevice) {
  set("INIT", "100");
  expect_absent(library("cuda"), PluginStatus::kNoDevice,
                "cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)");
}

TEST_F(SimAbsence, DriverThatDoesNotStart) {
  set("INIT", "999");
  expect_absent(library("cuda"), PluginStatus::kNoDriver, "cuInit: error 999 (simulated)");
}

TEST_F(SimAbsence, NotASingleCard) {
  set("DEVICES", "0");
  expect_absent(library("cuda"), PluginStatus::kNoDevice, "the driver sees no device");
}

TEST_F(SimAbsence, OldDriver) {
  set("DRIVER_VERSION", "10020");
  expect_absent(library("cuda"), PluginStatus::kNoDriver,
                "is a driver for CUDA 10.2, expected 11.4 or newer; install a newer driver");
}

}  // namespace
}  // namespace patchbay::sim_test

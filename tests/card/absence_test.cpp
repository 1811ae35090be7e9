// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// No driver, an old one, no card: ordinary answers, each with its reason.
#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

class SimAbsence : public SimTest {
 protected:
  static void expect_absent(const std::string& file, PluginStatus status,
                            const std::string& reason) {
    const Runtime runtime(options({{kNames.setting("library"), file}}));
    (void)runtime.devices();  // opens every plugin
    for (const PluginInfo& info : runtime.plugins()) {
      if (info.name != kNames.plugin) continue;
      EXPECT_EQ(to_string(info.status), to_string(status)) << info.reason;
      EXPECT_HAS(info.reason, reason);
      EXPECT_EQ(info.reason.find('\n'), std::string::npos) << info.reason;
      EXPECT_TRUE(info.devices.empty());
      EXPECT_HAS(runtime.explain(), reason);
      EXPECT_EQ(runtime.device("cpu").name(), "cpu:0");  // the others are not concerned
      return;
    }
    ADD_FAILURE() << "the runtime does not list the plugin";
  }
};

TEST_F(SimAbsence, NoLibrary) {
  expect_absent("/nowhere/libdriver.so.1", PluginStatus::kNoDriver, "/nowhere/libdriver.so.1");
  expect_absent("/nowhere/libdriver.so.1", PluginStatus::kNoDriver,
                "(setting " + kNames.setting("library") + ")");
}

TEST_F(SimAbsence, LibraryWithoutEntries) {
  expect_absent(library("bare_driver"), PluginStatus::kNoDriver,
                std::string("libpatchbay_sim_bare_driver.so: no symbol ") + kSymbols.initialise);
}

#ifndef PATCHBAY_SIM_HIP
TEST_F(SimAbsence, Stub) {
  set("INIT", "34");
  expect_absent(library(kNames.driver), PluginStatus::kNoDriver,
                "cuDriverGetVersion gives 34; is it a stub? Install a driver");
}
#endif

#ifdef PATCHBAY_SIM_HIP
constexpr const char* kRemedy = "install a card, or correct HIP_VISIBLE_DEVICES";
#else
constexpr const char* kRemedy = "install a card, or correct CUDA_VISIBLE_DEVICES";
#endif

/// Drivers without a card give either code.
TEST_F(SimAbsence, NoDevice) {
  for (const int code : {card::kErrorNoDevice, card::kErrorInvalidDevice}) {
    set("INIT", std::to_string(code));
    expect_absent(library(kNames.driver), PluginStatus::kNoDevice,
                  kSymbols.initialise + (": " + error_name(code)) + " (");
    expect_absent(library(kNames.driver), PluginStatus::kNoDevice, kRemedy);
  }
}

TEST_F(SimAbsence, DriverThatDoesNotStart) {
  set("INIT", "999");
  expect_absent(library(kNames.driver), PluginStatus::kNoDriver,
                std::string(kSymbols.initialise) + ": ");
}

TEST_F(SimAbsence, NotASingleCard) {
  set("DEVICES", "0");
  expect_absent(library(kNames.driver), PluginStatus::kNoDevice,
                std::string("the driver sees no device; ") + kRemedy);
}

TEST_F(SimAbsence, OldDriver) {
#ifdef PATCHBAY_SIM_HIP
  set("DRIVER_VERSION", "40500000");
  const std::string why = "is HIP 4.5.0, expected 5.2 or newer; install a newer ROCm";
#else
  set("DRIVER_VERSION", "10020");
  const std::string why =
      "is a driver for CUDA 10.2, expected 11.4 or newer; install a newer driver";
#endif
  expect_absent(library(kNames.driver), PluginStatus::kNoDriver, why);
}

}  // namespace
}  // namespace patchbay::sim_test

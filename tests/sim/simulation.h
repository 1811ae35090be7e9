// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runtimes with the plugin cuda-cublas on the simulated driver.
#ifndef PATCHBAY_TESTS_SIM_SIMULATION_H_
#define PATCHBAY_TESTS_SIM_SIMULATION_H_

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <patchbay/patchbay.h>

#include "sim/counters.h"
#include "support/runtime_fixture.h"

namespace patchbay::sim_test {

using Settings = std::map<std::string, std::string>;

inline std::string library(const std::string& name) {
  return PATCHBAY_TEST_SIM_DIR "/libpatchbay_sim_" + name + ".so";
}

/// The simulated libraries, but for what `changes` says of these settings.
inline RuntimeOptions options(const Settings& changes = {}) {
  RuntimeOptions options;
  options.read_environment = false;
  options.plugins = {"cuda-cublas", "cpu-openblas"};
  options.settings = {{"cuda_library", library("cuda")},
                      {"cuda_rtc_library", library("nvrtc")},
                      {"cuda_blas_library", library("cublas")},
                      {"cpu_devices", "1"}};
  if (const char* const folder = std::getenv("PATCHBAY_CACHE_DIR")) {
    options.settings["cache_dir"] = folder;
  }
  for (const auto& [name, value] : changes) options.settings[name] = value;
  return options;
}

/// A test on a simulated machine: `set` before the runtime is made. Whatever lives in the simulated
/// driver must be gone when the test is over.
class SimTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"INIT", "DRIVER_VERSION", "DEVICES", "ARCHITECTURE", "PEER", "MEMORY_BYTES", "BLAS_BYTES",
          "BLAS_STATUS", "FAIL_ALLOCATION", "FAIL_LAUNCH", "LOSE_DEVICE", "REFUSE_LOADS", "REFUSAL",
          "RTC_MINOR", "RTC_OLDEST"}) {
      unsetenv(variable(name).c_str());
    }
  }
  void TearDown() override {
    const patchbay_sim_counters left = counters();
    EXPECT_EQ(left.contexts, 0u);
    EXPECT_EQ(left.allocations, 0u);
    EXPECT_EQ(left.host_allocations, 0u);
    EXPECT_EQ(left.streams, 0u);
    EXPECT_EQ(left.events, 0u);
    EXPECT_EQ(left.modules, 0u);
    EXPECT_EQ(left.blas_handles, 0u);
  }

  static void set(const char* name, const std::string& value) {
    setenv(variable(name).c_str(), value.c_str(), 1);
  }
  static patchbay_sim_counters counters() {
    patchbay_sim_counters result{};
    void* const driver = dlopen(library("cuda").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr) ADD_FAILURE() << dlerror();
    if (driver == nullptr) return result;
    auto* const count =
        reinterpret_cast<decltype(&patchbay_sim_count)>(dlsym(driver, "patchbay_sim_count"));
    count(&result);
    dlclose(driver);
    return result;
  }

 private:
  static std::string variable(const char* name) { return std::string("PATCHBAY_SIM_") + name; }
};

}  // namespace patchbay::sim_test

#endif  // PATCHBAY_TESTS_SIM_SIMULATION_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runtimes with a vendor's plugin on its simulated driver. Tests that include this are compiled for
// one vendor; see vendor.h.
#ifndef PATCHBAY_TESTS_SIM_SIMULATION_H_
#define PATCHBAY_TESTS_SIM_SIMULATION_H_

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sim/counters.h"
#include "sim/vendor.h"
#include "support/paths.h"
#include "support/runtime_fixture.h"
#include "support/simulated_card.h"

namespace patchbay::sim_test {

using Settings = std::map<std::string, std::string>;

inline std::string library(const std::string& name) { return test::simulated_library(name); }

/// What a vendor's plugin, devices, settings and simulated libraries are called.
struct Names {
  const char *plugin, *backend, *driver, *compiler, *blas, *blas_library, *ranges, *fast_f32;

  std::string setting(const std::string& of) const { return backend + ("_" + of); }
  std::string device(int index) const { return backend + (":" + std::to_string(index)); }
};
#ifdef PATCHBAY_SIM_HIP
inline constexpr Names kNames = {"hip",     "hip",     "hip",   "hiprtc",
                                 "rocblas", "rocBLAS", "roctx", "hip_xf32"};
#else
inline constexpr Names kNames = {"cuda-cublas", "cuda",   "cuda", "nvrtc",
                                 "cublas",      "cuBLAS", "nvtx", "cuda_tf32"};
#endif

/// The driver's symbols by the names in card::Api.
struct Symbols {
#define PATCHBAY_SIM_SYMBOL(member, symbol) const char* member = #symbol;
  PATCHBAY_SIM_DRIVER_SYMBOLS(PATCHBAY_SIM_SYMBOL)
#undef PATCHBAY_SIM_SYMBOL
};
inline constexpr Symbols kSymbols;

/// The vendor's name of a code, for example "CUDA_ERROR_OUT_OF_MEMORY".
inline std::string error_name(int code) {
#define PATCHBAY_SIM_CODE(ours, theirs) \
  if (card::ours == code && std::string(#ours).starts_with("kError")) return #theirs;
  PATCHBAY_SIM_SHARED_CONSTANTS(PATCHBAY_SIM_CODE)
#undef PATCHBAY_SIM_CODE
  return "none";
}

/// The simulated libraries, but for what `changes` says of these settings.
inline RuntimeOptions options(const Settings& changes = {}) {
  RuntimeOptions options;
  options.read_environment = false;
  options.plugins = {kNames.plugin, "cpu-openblas"};
  options.settings = {{"cpu_devices", "1"}};
  for (const test::CardVendor& vendor : test::card_vendors()) {
    if (vendor.backend == std::string(kNames.backend)) {
      options.settings.insert(vendor.settings.begin(), vendor.settings.end());
    }
  }
  if (const char* const folder = std::getenv("PATCHBAY_CACHE_DIR")) {
    options.settings["cache_dir"] = folder;
  }
  for (const auto& [name, value] : changes) options.settings[name] = value;
  return options;
}

/// The first card of a new runtime, which lives as long as its devices. Lines of its log are
/// appended to `log`.
inline Device new_card(const Settings& changes = {}, std::string* log = nullptr) {
  RuntimeOptions all = options(changes);
  if (log != nullptr)
    all.log = [log](LogLevel, std::string_view line) { log->append(line).append("\n"); };
  return Runtime(all).device(kNames.device(0));
}

/// A kernel with a vector y of f32, which is PATCHBAY_<access>.
inline std::string kernel_text(const std::string& name, const std::string& access,
                               const std::string& statement) {
  return "PATCHBAY_KERNEL(" + name + ")(PATCHBAY_" + access +
         "(f32, y)) {\n  PATCHBAY_BIND(f32, y);\n  " + statement + ";\n}\n";
}

inline std::vector<double> values_of(const Tensor& tensor) {
  return tensor.cast(DType::f64).to_vector<double>();
}

/// A test on a simulated machine: `set` before the runtime is made. Whatever lives in the simulated
/// driver must be gone when the test is over.
class SimTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"INIT",         "DRIVER_VERSION", "DEVICES",      "ARCHITECTURE",    "PEER",
          "MEMORY_BYTES", "BLAS_BYTES",     "BLAS_STATUS",  "FAIL_ALLOCATION", "FAIL_LAUNCH",
          "LOSE_DEVICE",  "LOSS",           "REFUSE_LOADS", "REFUSAL",         "RTC_MINOR",
          "RTC_OLDEST",   "WIDTH",          "GROUP_LIMIT",  "CAPTURE",         "LAZY",
          "STAYS_BROKEN", "DNN_STATUS",     "DNN_PLANS",    "BLAS_LT_STATUS",  "BLAS_LT_PLANS",
          "DNN_VERSION",  "BLAS_MAJOR"}) {
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
    EXPECT_EQ(left.blas_lt_objects, 0u);
    EXPECT_EQ(left.dnn_objects, 0u);
    EXPECT_EQ(left.graphs, 0u);
  }

  /// What `body` throws, which must say that the device is lost.
  template <class Body>
  static std::string loss(Body&& body) {
    const Error error = test::error_of(body);
    EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kDeviceLost)) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }

  static void set(const char* name, const std::string& value) {
    setenv(variable(name).c_str(), value.c_str(), 1);
  }
  static patchbay_sim_counters counters() {
    patchbay_sim_counters result{};
    void* const driver = dlopen(library(kNames.driver).c_str(), RTLD_NOW | RTLD_LOCAL);
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

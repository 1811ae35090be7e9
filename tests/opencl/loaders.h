// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runtimes with the plugin opencl on an ICD loader of the tests' choice.
#ifndef PATCHBAY_TESTS_OPENCL_LOADERS_H_
#define PATCHBAY_TESTS_OPENCL_LOADERS_H_

#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "support/runtime_fixture.h"

namespace patchbay::opencl_test {

/// A kernel that writes 7 to each element.
inline constexpr const char* kText =
    "PATCHBAY_KERNEL(f)(PATCHBAY_OUTPUT(f32, x)) {\n"
    "  PATCHBAY_BIND(f32, x);\n"
    "  x[PATCHBAY_GLOBAL_ID(0)] = 7.0f;\n}\n";

/// `library`: a path, or the name of one of our loaders; empty: the machine's own.
inline Runtime runtime_on(const std::string& library,
                          std::map<std::string, std::string> settings = {}) {
  RuntimeOptions options;
  options.read_environment = false;
  options.settings = std::move(settings);
  if (!library.empty()) {
    const bool is_path = library.find('/') != std::string::npos;
    options.settings["opencl_library"] =
        is_path ? library : PATCHBAY_TEST_ICD_DIR "/" + library + ".so";
  }
  return Runtime(options);
}

inline PluginInfo plugin_info(const Runtime& runtime) {
  (void)runtime.devices();  // opens every plugin
  for (const PluginInfo& info : runtime.plugins()) {
    if (info.name == "opencl") return info;
  }
  return {};
}

/// A runtime on the machine's devices, about which the loader tells these lies. The variable is
/// the process's: a process makes one such runtime.
inline Runtime lying_runtime(const char* lies) {
  setenv("LYING_ICD", lies, 1);
  return runtime_on("icd_lying");
}

}  // namespace patchbay::opencl_test

/// Ends the test as skipped where the machine has no OpenCL device.
#define PATCHBAY_NEED_OPENCL(runtime)                                              \
  do {                                                                             \
    const patchbay::PluginInfo info = patchbay::opencl_test::plugin_info(runtime); \
    if (info.status == patchbay::PluginStatus::kNoDriver ||                        \
        info.status == patchbay::PluginStatus::kNoDevice) {                        \
      GTEST_SKIP() << info.reason;                                                 \
    }                                                                              \
    ASSERT_EQ(info.status, patchbay::PluginStatus::kLoaded) << info.reason;        \
  } while (false)

/// `device` is that of a runtime, which lives as long.
#define PATCHBAY_OPENCL_DEVICE(device, runtime) \
  const patchbay::Runtime device##_s = runtime; \
  PATCHBAY_NEED_OPENCL(device##_s);             \
  const patchbay::Device device = device##_s.device("opencl:0")

#endif  // PATCHBAY_TESTS_OPENCL_LOADERS_H_

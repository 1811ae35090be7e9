// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The kernel executor below the CPU plugin, with a cache directory of each test's own.
#ifndef PATCHBAY_TESTS_KIT_EXECUTOR_FIXTURE_H_
#define PATCHBAY_TESTS_KIT_EXECUTOR_FIXTURE_H_

#include "support/cpu_runtime.h"
#include "support/kernels.h"
#include "support/scratch_directory.h"

namespace patchbay::test {

namespace fs = std::filesystem;

class KernelExecutorTest : public testing::Test {
 protected:
  /// cpu:0 of a runtime whose cache is this test's own.
  Device device(std::map<std::string, std::string> settings = {}) const {
    settings.try_emplace("cache_dir", cache().string());
    return cpu_runtime(std::move(settings)).device("cpu:0");
  }
  fs::path cache() const { return directory_.path() / "cache"; }
  std::vector<fs::path> kept() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(cache() / "kernels")) {
      files.push_back(entry.path());
    }
    return files;
  }
  static void expect_scales(const Device& device) {
    const Tensor x = from_host(values(10), {10}, device), y = empty({10}, device);
    KernelModule::from_source(device, kScale)
        .kernel("scale")
        .launch({.group_size = {16}}, {x, y, -1, 10});
    Floats expected = values(10);
    for (float& value : expected) value = -value;
    EXPECT_EQ(y.to_vector<float>(), expected);
  }
  /// A stand-in for a compiler.
  std::string script(const std::string& body) const {
    const fs::path path = directory_.path() / "compiler";
    std::ofstream(path) << "#!/bin/sh\n" << body;
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }

  const ScratchDirectory directory_;
};

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_KIT_EXECUTOR_FIXTURE_H_

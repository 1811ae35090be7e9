// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The examples, each on a device that is set up by the environment alone.
#ifndef PATCHBAY_EXAMPLES_TESTS_PROGRAMS_H_
#define PATCHBAY_EXAMPLES_TESTS_PROGRAMS_H_

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <patchbay/patchbay.h>

#include "examples/tests/run_process.h"
#include "tests/support/absence.h"
#include "tests/support/paths.h"
#include "tests/support/simulated_card.h"

namespace examples {

struct Setting {
  std::string device;
  Environment environment;
  std::string plugin{};  // whose driver the machine may lack
  friend void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.device; }
};

/// What other devices the machine has must not change what is tested.
inline Setting one_cpu() { return {"cpu:0", {{"PATCHBAY_PLUGINS", "cpu-openblas"}}}; }
inline Setting second_cpu() {
  return {"cpu:1", {{"PATCHBAY_PLUGINS", "cpu-openblas"}, {"PATCHBAY_CPU_DEVICES", "2"}}};
}
/// A device whose memory the host can't touch, beside the CPU.
inline Setting fake() {
  return {"fake:0",
          {{"PATCHBAY_PLUGIN_PATH", patchbay::test::test_plugin_folder()},
           {"PATCHBAY_PLUGINS", "fake,cpu-openblas"}}};
}

/// A device of whatever OpenCL driver is installed; PoCL, if it is, shows one.
inline Setting opencl() {
  return {"opencl:0",
          {{"PATCHBAY_PLUGINS", "opencl,cpu-openblas"}, {"POCL_DEVICES", "pthread"}},
          "opencl"};
}
/// A card that is simulated (tests/sim).
inline Setting simulated_card() {
  Setting setting{"cuda:0", {{"PATCHBAY_PLUGINS", "cuda-cublas,cpu-openblas"}}, "cuda-cublas"};
  for (const auto& [name, value] : patchbay::test::simulated_card_settings()) {
    std::string variable = "PATCHBAY_" + name;
    std::transform(variable.begin(), variable.end(), variable.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    setting.environment[variable] = value;
  }
  return setting;
}
inline std::vector<Setting> all_settings() {
  return {one_cpu(), second_cpu(), fake(), opencl(), simulated_card()};
}

/// Why nothing can run there; empty if it can. A plugin that is there and broken is no absence.
inline std::string absence(const Setting& setting) {
  if (setting.plugin.empty()) return {};
  if (!patchbay::test::is_built(setting.plugin))
    return "this build has no plugin " + setting.plugin;
  patchbay::RuntimeOptions options;
  options.read_environment = false;
  options.plugins = {setting.plugin};
  options.settings = patchbay::test::simulated_card_settings();
  const patchbay::Runtime runtime(options);
  (void)runtime.devices();  // opens every plugin
  for (const patchbay::PluginInfo& info : runtime.plugins()) {
    if (info.name == setting.plugin) return patchbay::test::why_absent(info);
  }
  return {};
}

/// Runs on each setting, except where its driver is absent.
class OnSetting : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    if (const std::string why = absence(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
};

inline std::string setting_name(const testing::TestParamInfo<Setting>& info) {
  std::string name = info.param.device;
  std::replace(name.begin(), name.end(), ':', '_');
  return name.starts_with("cuda") ? "sim_" + name : name;
}

inline ProcessResult run_example(const std::string& name, std::vector<std::string> arguments,
                                 const Environment& environment = {}) {
  arguments.insert(arguments.begin(), patchbay::test::built_path("bin/" + name));
  return run_process(arguments, environment);
}

/// The output of an example that must succeed.
inline std::string output_of(const std::string& name, const std::vector<std::string>& arguments,
                             const Environment& environment = {}) {
  const ProcessResult result = run_example(name, arguments, environment);
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_EQ(result.errors, "");
  return result.output;
}

/// Checks that an example fails with one line that has `part` in it, and computes nothing.
inline void expect_failure(const std::string& name, const std::vector<std::string>& arguments,
                           int status, const std::string& part) {
  const ProcessResult result = run_example(name, arguments);
  EXPECT_EQ(result.status, status) << result.output;
  EXPECT_THAT(result.errors, testing::HasSubstr(part));
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
}

inline bool has_fashion_mnist() {
  return std::filesystem::exists("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz");
}

/// The rest of the line that starts with `title`.
inline std::string value_after(const std::string& output, const std::string& title) {
  const std::size_t start = output.find("\n" + title);
  if (start == std::string::npos) return "no line '" + title + "'";
  const std::size_t value = output.find_first_not_of(' ', start + 1 + title.size());
  return output.substr(value, output.find('\n', value) - value);
}

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_TESTS_PROGRAMS_H_

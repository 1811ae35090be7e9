// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The conformance checks on each plugin of this build, one test for each check. The long runs alone
// have the checks of single operators where a plugin is examined again with other devices, and
// those of 16-bit floats where their kernels take minutes to compile.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/operators.h>

#include "conformance/suite.h"
#include "support/absence.h"
#include "support/paths.h"
#include "support/simulated_card.h"

namespace {

using namespace patchbay::conformance;

/// The checks of one plugin, as one test suite.
struct Entry {
  std::string suite;
  Subject subject;
  bool needs_driver = false;  // of a vendor, so that it may be absent
  bool is_again = false;      // another entry or program runs every check on this plugin
  // The same for 16-bit floats; operators_test has every operator of these on every plugin.
  bool is_without_halves = false;
};

/// Why there is nothing to examine; empty if there is something.
std::string absence(const Entry& entry, const patchbay::Runtime& runtime) {
  if (!entry.needs_driver) return {};
  (void)runtime.devices();  // opens every plugin
  for (const patchbay::PluginInfo& info : runtime.plugins()) {
    if (info.name == entry.subject.plugin) return patchbay::test::why_absent(info);
  }
  return {};
}

class CheckTest : public testing::Test {
 public:
  CheckTest(const Check* check, const Entry* entry) : check_(check), entry_(entry) {}

  void TestBody() override {
    Subject subject = entry_->subject;
    subject.time_limit = std::chrono::seconds(110);  // ctest ends a test after 120
    Context context(std::move(subject));
    if (const std::string why = absence(*entry_, context.runtime()); !why.empty()) {
      GTEST_SKIP() << why;
    }
#ifdef PATCHBAY_DRIVER_CRASH  // the check, and what the driver does
    const std::array<std::string, 2> crash{PATCHBAY_DRIVER_CRASH};
    if (entry_->subject.backend == PATCHBAY_BUILT_PLUGINS && check_->id() == crash[0]) {
      GTEST_SKIP() << crash[1];
    }
#endif
    const Outcome outcome = run_check(*check_, context);
    if (outcome.result == Result::kWaived) GTEST_SKIP() << outcome.message;
    EXPECT_TRUE(outcome.result == Result::kPassed) << outcome.message;
  }

 private:
  const Check* check_;
  const Entry* entry_;
};

#ifdef PATCHBAY_OTHER_DEVICES  // another program examines the plugin with the usual ones
constexpr bool kHasOtherDevices = true;
#else
constexpr bool kHasOtherDevices = false;
#endif

bool is_of_one_operator(const Check& check) {
  const std::span<const patchbay::OperatorInfo> operators = patchbay::operators();
  return check.chapter == "kernels" &&
         std::any_of(operators.begin(), operators.end(), [&](const auto& op) {
           return check.name == op.name || check.name.starts_with(std::string(op.name) + "_");
         });
}

bool is_of_halves(const Check& check) {
  return is_of_one_operator(check) && check.name.ends_with("f16");
}

bool is_built(const std::string& plugin) {
  const std::string built = " " PATCHBAY_BUILT_PLUGINS " ";
  return built.find(" " + plugin + " ") != std::string::npos;
}

/// The environment of whoever runs the tests must not change what is tested, but for the compiler
/// of kernels and the cache, which cmake/PatchbayTest.cmake sets.
patchbay::RuntimeOptions options() {
  patchbay::RuntimeOptions options;
  options.read_environment = false;
  const auto pass_on = [&](const char* variable, const char* setting) {
    if (const char* const value = std::getenv(variable)) options.settings[setting] = value;
  };
  pass_on("PATCHBAY_CACHE_DIR", "cache_dir");
  pass_on("PATCHBAY_KERNEL_COMPILER", "kernel_compiler");
  pass_on("PATCHBAY_TEST_MEMORY_CACHE", "memory_cache");
  if (std::getenv("PATCHBAY_TEST_VALIDATE") != nullptr) options.settings["validate"] = "1";
  return options;
}
patchbay::RuntimeOptions options(const std::string& setting, const std::string& value) {
  patchbay::RuntimeOptions result = options();
  result.settings[setting] = value;
  return result;
}

std::vector<Entry> entries() {
  std::vector<Entry> all;
  if (is_built("cpu-openblas")) {
    for (const char* count : {"1", "2"}) {
      const bool is_again = count[0] == '2';
      all.push_back(
          {.suite = std::string("Conformance_cpu_openblas") + (is_again ? "_2_devices" : ""),
           .subject = {options("cpu_devices", count), "cpu-openblas", "cpu", {}},
           .is_again = is_again});
    }
  }
  if (is_built("fake")) {
    patchbay::RuntimeOptions with_fake = options("fake_devices", "2");
    with_fake.plugin_files = {patchbay::test::fake_plugin()};
    all.push_back({.suite = "Conformance_fake",
                   .subject = {with_fake, "fake", "fake", {}},
                   .is_without_halves = true});
  }
  if (is_built("opencl")) {
    all.push_back({.suite = "Conformance_opencl",
                   .subject = {options(), "opencl", "opencl", {}},
                   .needs_driver = true,
                   .is_again = kHasOtherDevices,
                   .is_without_halves = true});
  }
  for (const patchbay::test::CardVendor& vendor : patchbay::test::card_vendors()) {
    if (!is_built(vendor.plugin)) continue;
    patchbay::RuntimeOptions simulated = options("cpu_devices", "1");
    simulated.settings.insert(vendor.settings.begin(), vendor.settings.end());
    all.push_back({.suite = std::string("Conformance_") + vendor.backend + "_simulated",
                   .subject = {simulated, vendor.plugin, vendor.backend, {}},
                   .is_again = kHasOtherDevices,
                   .is_without_halves = vendor.backend != std::string("cuda")});
  }
  return all;
}

void register_tests(const std::vector<Entry>& subjects, const std::vector<Check>& checks) {
  const bool all = std::getenv("PATCHBAY_TEST_ALL") != nullptr;
  for (const Entry& entry : subjects) {
    for (const Check& check : checks) {
      const bool is_long = (entry.is_again && is_of_one_operator(check)) ||
                           (entry.is_without_halves && is_of_halves(check));
      if (is_long && !all) continue;
      // Kernels of 16-bit floats compile for minutes, and are the same on another machine.
      if (entry.is_again && is_of_halves(check)) continue;
      testing::RegisterTest(
          entry.suite.c_str(), (check.chapter + "_" + check.name).c_str(), nullptr, nullptr,
          __FILE__, __LINE__,
          [&entry, &check]() -> testing::Test* { return new CheckTest(&check, &entry); });
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::vector<Entry> subjects = entries();
  const std::vector<Check> checks = all_checks();
  register_tests(subjects, checks);
  return RUN_ALL_TESTS();
}

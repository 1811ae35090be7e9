// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Part of every test program: prints at its end which cases were skipped and why. If all were, it
// prints the words that ctest looks for (cmake/PatchbaySuites.cmake).
#include <iostream>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace patchbay::test {
namespace {

class SkippedCases : public testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    if (!result.Skipped()) return;
    std::string& cases = cases_of_[reason_of(result)];
    cases += std::string(cases.empty() ? "" : ", ") + test.test_suite_name() + "." + test.name();
  }

  void OnTestProgramEnd(const testing::UnitTest& program) override {
    for (const auto& [reason, cases] : cases_of_) {
      std::cout << "Skipped, " << reason << ": " << cases << "\n";
    }
    const int num_run = program.test_to_run_count();
    if (num_run > 0 && program.skipped_test_count() == num_run) {
      std::cout << "Every case was skipped.\n";
    }
  }

 private:
  static std::string reason_of(const testing::TestResult& result) {
    for (int i = 0; i < result.total_part_count(); ++i) {
      const testing::TestPartResult& part = result.GetTestPartResult(i);
      if (part.skipped()) return part.message();
    }
    return "";
  }

  std::map<std::string, std::string> cases_of_;
};

/// Adds the listener before the first test.
const bool is_listening = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new SkippedCases);
  return true;
}();

}  // namespace
}  // namespace patchbay::test

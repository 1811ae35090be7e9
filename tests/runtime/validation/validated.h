// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_RUNTIME_VALIDATION_VALIDATED_H_
#define PATCHBAY_TESTS_RUNTIME_VALIDATION_VALIDATED_H_

#include "support/device_test.h"
#include "support/log_lines.h"

namespace patchbay::test {

inline RuntimeOptions validated(std::map<std::string, std::string> settings = {},
                                const LogLines& lines = {}) {
  RuntimeOptions options = device_options();
  options.settings.merge(settings);
  options.settings["validate"] = "1";
  options.log = lines.sink();
  return options;
}

/// A runtime of its own, validated, on each device.
class ValidationTest : public testing::TestWithParam<const char*> {
 protected:
  ValidationTest()
      : absence_(absence_of(GetParam())),
        runtime_(validated({}, lines_)),
        device_(runtime_.device(absence_.empty() ? GetParam() : "cpu:0")) {}

  void SetUp() override {
    if (!absence_.empty()) GTEST_SKIP() << absence_;
  }
  std::uint64_t num_findings() const { return validation_report(runtime_).num_findings; }

 private:
  const std::string absence_;

 protected:
  LogLines lines_;
  Runtime runtime_;
  Device device_;
};

/// The text of the Error, of code kValidation, that `body` throws.
template <class Body>
std::string finding_of(Body&& body) {
  const Error error = error_of(std::forward<Body>(body));
  EXPECT_EQ(to_string(error.code()), "validation") << error.what();
  return error.what();
}

#define EXPECT_FINDING(text, ...)                                                               \
  do {                                                                                          \
    const std::string text_ = text;                                                             \
    for (const std::string& part_ : std::vector<std::string>{__VA_ARGS__})                      \
      EXPECT_TRUE(::patchbay::test::contains(text_, part_)) << text_ << "\n  lacks: " << part_; \
    EXPECT_FALSE(::patchbay::test::contains(text_, "\n")) << text_;                             \
  } while (false)

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_RUNTIME_VALIDATION_VALIDATED_H_

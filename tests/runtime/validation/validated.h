// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_RUNTIME_VALIDATION_VALIDATED_H_
#define PATCHBAY_TESTS_RUNTIME_VALIDATION_VALIDATED_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "support/device_test.h"

namespace patchbay::test {

/// Log lines, from any thread.
class Lines {
 public:
  LogSink sink() const {
    return [kept = kept_](LogLevel, std::string_view line) {
      const std::scoped_lock lock(kept->mutex);
      kept->lines.emplace_back(line);
    };
  }
  /// How many lines hold `text`.
  int count(const std::string& text) const {
    const std::scoped_lock lock(kept_->mutex);
    int found = 0;
    for (const std::string& line : kept_->lines) {
      found += line.find(text) != std::string::npos ? 1 : 0;
    }
    return found;
  }

 private:
  struct Kept {
    std::mutex mutex;
    std::vector<std::string> lines;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

inline RuntimeOptions validated(std::map<std::string, std::string> settings = {},
                                const Lines& lines = {}) {
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
  Lines lines_;
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

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
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

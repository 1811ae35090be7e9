// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_SUPPORT_ENVIRONMENT_VARIABLE_H_
#define PATCHBAY_TESTS_SUPPORT_ENVIRONMENT_VARIABLE_H_

#include <stdlib.h>

#include <optional>
#include <string>

namespace patchbay::test {

/// Sets an environment variable during a test.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const std::string& value) : name_(name) {
    const char* before = getenv(name);
    if (before != nullptr) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~EnvironmentVariable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_ENVIRONMENT_VARIABLE_H_

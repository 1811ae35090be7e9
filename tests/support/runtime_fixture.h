// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runtimes for the tests of core/runtime, with the installed plugins and the fake device.
#ifndef PATCHBAY_TESTS_SUPPORT_RUNTIME_FIXTURE_H_
#define PATCHBAY_TESTS_SUPPORT_RUNTIME_FIXTURE_H_

#include <map>
#include <string>

#include <gtest/gtest.h>

#include <patchbay/patchbay.h>

#include "support/paths.h"
#include "support/text.h"

namespace patchbay::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// cpu:0, cpu:1 and two fake devices; `settings` are the plugins' options.
inline RuntimeOptions options(std::map<std::string, std::string> settings = {}) {
  RuntimeOptions result;
  result.plugin_directories = {test_plugin_folder()};
  result.plugins = {"fake", "cpu-openblas"};
  result.settings = std::move(settings);
  result.settings.try_emplace("cpu_devices", "2");
  return result;
}

/// Runs `body`, which must throw an Error, and returns the error.
template <class Body>
Error error_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return {ErrorCode::kInternal, "none"};
}

/// `body` is an expression, whose result is dropped.
#define EXPECT_ERROR(body, expected_code, expected_text)                                           \
  do {                                                                                             \
    const ::patchbay::Error error_ = ::patchbay::test::error_of([&] { static_cast<void>(body); }); \
    EXPECT_EQ(to_string(error_.code()), to_string(expected_code)) << error_.what();                \
    EXPECT_HAS(error_.what(), expected_text);                                                      \
    EXPECT_EQ(std::string(error_.what()).find('\n'), std::string::npos) << error_.what();          \
  } while (false)
/// The most frequent one.
#define EXPECT_INVALID(body, expected_text) \
  EXPECT_ERROR(body, ::patchbay::ErrorCode::kInvalidArgument, expected_text)

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_RUNTIME_FIXTURE_H_

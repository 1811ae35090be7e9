// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runtimes for the tests of core/runtime, with the installed plugins and the fake device.
#ifndef PATCHBAY_TESTS_SUPPORT_RUNTIME_FIXTURE_H_
#define PATCHBAY_TESTS_SUPPORT_RUNTIME_FIXTURE_H_

#include <initializer_list>

#include <patchbay/patchbay.h>

#include "support/paths.h"
#include "support/text.h"

namespace patchbay::test {

using enum ErrorCode;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;
using Bytes = std::vector<std::uint8_t>;
using Bools = std::vector<bool>;

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
    static_cast<void>(body());
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return {ErrorCode::kInternal, "none"};
}

/// Runs `body` while the scope lasts, and returns its result.
template <class Scope, class Body>
auto inside(const Scope&, Body&& body) {
  return body();
}
template <class Body>
auto on_stream(const Stream& stream, Body&& body) {
  return inside(StreamScope(stream), std::forward<Body>(body));
}

/// `text` has these parts, one after the other.
inline testing::AssertionResult has_parts(std::string_view text,
                                          std::initializer_list<std::string_view> parts) {
  std::size_t at = 0;
  for (const std::string_view part : parts) {
    at = text.find(part, at);
    if (at == std::string_view::npos) {
      return testing::AssertionFailure() << "no '" << part << "' in its place in: " << text;
    }
    at += part.size();
  }
  return testing::AssertionSuccess();
}

/// Expects that the expression `body` throws an Error with this code (`kTimedOut`, or a variable).
/// Its message has one line, and these parts in their order: usually the operation in brackets, and
/// the fields.
#define EXPECT_ERROR(body, expected_code, ...)                                            \
  do {                                                                                    \
    using enum ::patchbay::ErrorCode;                                                     \
    const ::patchbay::Error error_ =                                                      \
        ::patchbay::test::error_of([&]() -> decltype(auto) { return (body); });           \
    EXPECT_EQ(to_string(error_.code()), to_string(expected_code)) << error_.what();       \
    EXPECT_TRUE(::patchbay::test::has_parts(error_.what(), {__VA_ARGS__}));               \
    EXPECT_EQ(std::string(error_.what()).find('\n'), std::string::npos) << error_.what(); \
  } while (false)

/// EXPECT_ERROR with kInvalidArgument, the most frequent code.
#define EXPECT_INVALID(body, ...) EXPECT_ERROR(body, kInvalidArgument, __VA_ARGS__)

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_RUNTIME_FIXTURE_H_

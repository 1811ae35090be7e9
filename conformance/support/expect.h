// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How checks report results. The text is built only on failure.
#ifndef PATCHBAY_CONFORMANCE_SUPPORT_EXPECT_H_
#define PATCHBAY_CONFORMANCE_SUPPORT_EXPECT_H_

#include <exception>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <patchbay/patchbay.h>

namespace patchbay::conformance {

/// Ends a check as failed.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Ends a check as failed because something required is missing; an exemption waives it.
class Lack : public Failure {
 public:
  /// `check` is the id of the check for the missing feature; empty if there is none.
  explicit Lack(const std::string& what, std::string check = {})
      : Failure(what), check_(std::move(check)) {}
  const std::string& check() const { return check_; }

 private:
  std::string check_;
};

/// Ends a check as waived: the device need not support what it tests.
class Waiver : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Args>
void expect(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) throw Failure(fmt::format(format, std::forward<Args>(args)...));
}

/// For numbers and strings.
template <class T, class U>
void expect_equal(const T& got, const U& expected, std::string_view what) {
  if (!(got == expected)) {
    throw Failure(fmt::format("{}: expected {}, got {}", what, expected, got));
  }
}

/// The call must throw an Error with this code whose text contains all the words.
void expect_error(ErrorCode code, std::string_view what, const std::function<void()>& call,
                  std::initializer_list<std::string> words = {});

/// Whether the call throws kUnsupported; `reason` receives the message.
bool is_unsupported(const std::function<void()>& call, std::string* reason);

/// Runs `work(index)` on that many threads at once; rethrows the first exception.
void run_threads(int num_threads, const std::function<void(int)>& work);

std::vector<Device> devices_of(const Runtime& runtime, std::string_view backend);

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_SUPPORT_EXPECT_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Conformance checks. They use only the public headers and know no plugin by name, so the same
// checks apply to every backend.
#ifndef PATCHBAY_CONFORMANCE_SUPPORT_CHECK_H_
#define PATCHBAY_CONFORMANCE_SUPPORT_CHECK_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <patchbay/patchbay.h>

namespace patchbay::conformance {

/// Runs `work`, which must not throw, on its own thread. Returns false if it exceeds the limit; the
/// thread then continues, so `work` must own everything that it uses.
bool ends_within(std::chrono::milliseconds limit, std::function<void()> work);

/// Describes what exceeded the limit, and which entries of the plugin have not returned.
std::string describe_hang(std::chrono::milliseconds limit);

/// Changes 'unsupported' to 'waived' for the checks whose "chapter.name" matches the pattern (`*`
/// and `?`), and for checks that need the operator of such a check. A wrong result is still a
/// failure.
struct Exemption {
  std::string pattern, reason;
};

/// The plugin under examination, and the options to create a runtime with it.
struct Subject {
  RuntimeOptions options;
  std::string plugin, backend;
  std::vector<Exemption> exemptions;
  std::chrono::milliseconds time_limit = std::chrono::minutes(2);  // of each check
};

/// The environment of a check. The runtime is created at its first use and shared by later checks,
/// because opening a device can take longer than examining it.
class Context {
 public:
  explicit Context(Subject subject);

  const Subject& subject() const { return subject_; }
  Runtime runtime();
  /// Creates a runtime for one check, with these settings in addition to the subject's.
  Runtime new_runtime(const std::map<std::string, std::string>& settings = {}) const;
  /// The first device of the backend.
  Device device() { return devices().front(); }
  /// All devices of the backend; at least one.
  std::vector<Device> devices();
  /// Gives the next check a new runtime.
  void forget_runtime() { runtime_.reset(); }

 private:
  Subject subject_;
  std::optional<Runtime> runtime_;
};

struct Check {
  std::string chapter, name;
  std::function<void(Context&)> run;

  std::string id() const { return chapter + "." + name; }
};

enum class Result : std::uint8_t { kPassed, kFailed, kWaived };
/// "passed", "failed" or "waived".
std::string_view to_string(Result result);

struct Outcome {
  Result result = Result::kPassed;
  std::string message;   // one line; empty if passed
  bool is_hung = false;  // it exceeded the time limit and still runs
};

/// Runs a check. Never throws because of the plugin. A check fails when it exceeds the subject's
/// time limit; its thread continues with a runtime that nothing else uses.
Outcome run_check(const Check& check, Context& context);

/// Closes the shared runtime, after the last check.
Outcome close_runtime(Context& context);

/// Whether the text matches the pattern, in which `*` stands for any characters and `?` for one.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_SUPPORT_CHECK_H_

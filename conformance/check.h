// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a conformance check is. Checks use the public headers alone and know no plugin by name, so
// that one text judges every backend, ours and anyone's.
#ifndef PATCHBAY_CONFORMANCE_CHECK_H_
#define PATCHBAY_CONFORMANCE_CHECK_H_

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

/// Turns 'unsupported' into waived for the checks whose "chapter.name" matches the pattern (`*` and
/// `?`), and for each check that needs the operator that such a check is about. A wrong result
/// stays a failure, whatever the list says.
struct Exemption {
  std::string pattern, reason;
};

/// The plugin under examination, and how to make a runtime that has it.
struct Subject {
  RuntimeOptions options;
  std::string plugin, backend;
  std::vector<Exemption> exemptions;
  std::chrono::milliseconds time_limit = std::chrono::minutes(2);  // of each check
};

/// A plugin file, tried before all others. Errors: kPluginFailed if it does not load; kUnsupported
/// if its driver or device is absent.
Subject subject_of_file(RuntimeOptions options, const std::filesystem::path& file);
/// A loaded plugin by the name of its backend, or its own. Error: kInvalidArgument, which lists
/// what is loaded.
Subject subject_of_backend(RuntimeOptions options, std::string_view name);

/// What a check is given. The runtime is made at the first use and shared by the checks that
/// follow: to open a device can take longer than to examine it.
class Context {
 public:
  explicit Context(Subject subject);

  const Subject& subject() const { return subject_; }
  Runtime runtime();
  /// A runtime for one check, with these settings besides the subject's.
  Runtime new_runtime(const std::map<std::string, std::string>& settings = {}) const;
  /// The first device of the backend.
  Device device() { return devices().front(); }
  /// All of them; at least one.
  std::vector<Device> devices();
  /// The next check gets a runtime that nothing has gone wrong with.
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
/// "passed", "failed", "waived".
std::string_view to_string(Result result);

struct Outcome {
  Result result = Result::kPassed;
  std::string message;   // one line; empty if passed
  bool is_hung = false;  // it ran into the time limit, and still runs
};

/// Every check, chapter after chapter. The names depend on nothing.
std::vector<Check> all_checks();
std::vector<std::string> chapters();

/// Never throws for what the plugin does. A check that takes longer than the subject's time limit
/// has failed; its thread goes on, with a runtime that nothing else uses.
Outcome run_check(const Check& check, Context& context);

/// Closes the shared runtime, as what follows the last check.
Outcome close_runtime(Context& context);

/// True if the text has the form of the pattern, in which `*` and `?` stand for any characters and
/// any one.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_CHECK_H_

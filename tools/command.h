// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The commands, with the options and results that they share.
#ifndef PATCHBAY_TOOLS_COMMAND_H_
#define PATCHBAY_TOOLS_COMMAND_H_

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <patchbay/patchbay.h>

#include "conformance/support/check.h"

namespace patchbay::tools {

inline constexpr int kExitOk = 0;
inline constexpr int kExitError = 1;
inline constexpr int kExitUsage = 2;

/// Keeps keys in the order of insertion.
using Json = nlohmann::ordered_json;

/// The result of a command in both forms; the program prints one of them.
struct Report {
  Json json = Json::object();
  std::string text;
  int exit_status = kExitOk;
  /// Beside the answer: errors that were logged, or of a part of the answer. Any makes the exit
  /// status kExitError.
  std::vector<std::string> errors;

  /// Runs a part of the answer. If it throws an Error, that is added to `errors`.
  void attempt(const std::function<void()>& part);
};

/// With PATCHBAY_VALIDATE=1, collects the errors that a command's runtimes log, from any thread,
/// until the runtimes are destroyed.
class ErrorLog {
 public:
  void add(std::string_view line);
  std::vector<std::string> take();

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// The path from the root. Errors: kIo if there is no current directory to begin at.
std::filesystem::path absolute_path(const std::string& path);

/// Options that every command takes.
struct CommonOptions {
  bool json = false;
  std::vector<std::string> plugin_directories, plugin_files;
  std::shared_ptr<ErrorLog> errors = std::make_shared<ErrorLog>();

  /// With the probe, so that no plugin takes the command down.
  RuntimeOptions runtime_options() const;
};

/// Says that there is no device, and why: the status of each plugin, and devices that the user
/// hides.
std::string show_absence(const Runtime& runtime);

struct BenchCopyArguments {
  std::string device, plot;
  double seconds = 25;  // leave out sizes that would take longer
};

struct BenchOpsArguments {
  std::string device, plot;
  bool quick = false;
};

struct CheckArguments {
  std::string subject;
  std::vector<std::string> chapters;
  std::vector<std::string> patterns;  // of checks; none: all
  std::vector<std::string> waivers;   // PATTERN=REASON
  double time_limit_s = 120;
  bool list = false;
};
/// The checks of these chapters that match.
std::vector<conformance::Check> chosen_checks(const CheckArguments& arguments);

struct CopyPlanArguments {
  std::string from, to, bytes;
  bool calibrate = false, non_blocking = false;
};

// The commands. Errors: patchbay::Error.
Report report_bench_copy(const RuntimeOptions& options, const BenchCopyArguments& arguments);
Report report_bench_ops(const RuntimeOptions& options, const BenchOpsArguments& arguments);
Report report_check(const CommonOptions& common, const CheckArguments& arguments);
Report report_copy_plan(const RuntimeOptions& options, const CopyPlanArguments& arguments);
Report report_devices(const RuntimeOptions& options, bool with_memory);
Report report_memory(const RuntimeOptions& options, const std::string& only);
Report report_operators(const RuntimeOptions& options, const std::string& only);
Report report_plugins(RuntimeOptions options, bool explain);
Report report_replay(const RuntimeOptions& options, const std::string& device_name,
                     const std::string& path);
Report report_version();

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_COMMAND_H_

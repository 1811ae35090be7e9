// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Options and results that the commands share.
#ifndef PATCHBAY_TOOLS_COMMAND_H_
#define PATCHBAY_TOOLS_COMMAND_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <patchbay/patchbay.h>

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
  std::vector<std::string> errors;  // errors that were logged
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

/// Options that every command takes.
struct CommonOptions {
  bool json = false;
  std::vector<std::string> plugin_directories, plugin_files;
  std::shared_ptr<ErrorLog> errors = std::make_shared<ErrorLog>();

  RuntimeOptions runtime_options() const;
};

/// The parsed command line. A command's parser callback sets `action`.
struct Invocation {
  CommonOptions common;
  std::function<Report()> action;
};

void add_common_options(CLI::App& app, CommonOptions& options);

// Each function adds a subcommand. Actions throw patchbay::Error.
void add_bench_command(CLI::App& app, Invocation& invocation);
void add_check_command(CLI::App& app, Invocation& invocation);
void add_copy_plan_command(CLI::App& app, Invocation& invocation);
void add_devices_command(CLI::App& app, Invocation& invocation);
void add_memory_command(CLI::App& app, Invocation& invocation);
void add_ops_command(CLI::App& app, Invocation& invocation);
void add_plugins_command(CLI::App& app, Invocation& invocation);
void add_version_command(CLI::App& app, Invocation& invocation);

/// Also used by the flag --version.
Report report_version();

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_COMMAND_H_

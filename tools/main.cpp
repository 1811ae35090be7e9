// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The command `patchbay`. Exit status: 0, 1 for an error, 2 for a wrong command line.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "command.h"
#include "misspelt.h"
#include "report.h"

namespace {

using namespace patchbay::tools;

/// Adds them to each command and its subcommands.
void add_common_options_below(CLI::App& app, CommonOptions& options) {
  for (CLI::App* command : app.get_subcommands({})) {
    add_common_options(*command, options);
    add_common_options_below(*command, options);
  }
}

void add_commands(CLI::App& app, Invocation& invocation) {
  add_common_options(app, invocation.common);
  add_devices_command(app, invocation);
  add_plugins_command(app, invocation);
  add_copy_plan_command(app, invocation);
  add_check_command(app, invocation);
  add_bench_command(app, invocation);
  add_memory_command(app, invocation);
  add_ops_command(app, invocation);
  add_version_command(app, invocation);
  add_common_options_below(app, invocation.common);
  app.set_version_flag("--version");  // printed by report_version instead
  app.require_subcommand(0, 1);       // the check below has a better message
  app.footer("`patchbay COMMAND --help` says more.");
}

/// Returns the report after the command's runtimes are destroyed, so that everything is logged.
Report run_action(const Invocation& invocation) {
  Report report = invocation.action();
  report.errors = invocation.common.errors->take();
  if (!report.errors.empty()) report.exit_status = kExitError;
  return report;
}

/// Names the command instead of the library's function.
std::string in_words_of_the_command(std::string message) {
  constexpr std::string_view kCall = "Runtime::explain()";
  if (const std::size_t at = message.find(kCall); at != std::string::npos) {
    message.replace(at, kCall.size(), "`patchbay plugins`");
  }
  return message;
}

int run(const Invocation& invocation) {
  const bool json = invocation.common.json;
  ErrorLog& errors = *invocation.common.errors;
  try {
    return print_report(run_action(invocation), json);
  } catch (const patchbay::Error& error) {
    return print_error(to_string(error.code()), in_words_of_the_command(error.what()), json,
                       kExitError, errors.take());
  } catch (const std::exception& error) {
    return print_error(to_string(patchbay::ErrorCode::kInternal), error.what(), json, kExitError,
                       errors.take());
  }
}

/// Also works for an invalid command line.
bool asks_for_json(int argc, char** argv) {
  return std::find(argv, argv + argc, std::string("--json")) != argv + argc;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Lists and examines the devices that Patchbay's plugins offer.", "patchbay");
  Invocation invocation;
  add_commands(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion&) {
    Report report = report_version();
    report.text = fmt::format("patchbay {}\n", patchbay::version());
    return print_report(report, asks_for_json(argc, argv));
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    const std::string unknown = explain_unknown_word(app);
    return print_error("usage", unknown.empty() ? error.what() : unknown, asks_for_json(argc, argv),
                       kExitUsage);
  }
  if (!invocation.action) {
    return print_error("usage", "expected a command; `patchbay --help` lists them",
                       invocation.common.json, kExitUsage);
  }
  return run(invocation);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (...) {  // no memory for a better message
    std::fputs("patchbay: out of memory\n", stderr);
    return kExitError;
  }
}

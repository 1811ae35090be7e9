// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The command `patchbay`. Exit status: 0, 1 for an error, 2 for a wrong command line.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "report.h"

namespace {

using namespace patchbay::tools;

/// Returns the report after the command's runtimes are destroyed, so that everything is logged.
Report run_action(const Invocation& invocation) {
  Report report = invocation.action();
  std::vector<std::string> logged = invocation.common.errors->take();
  for (const std::string& error : report.errors) std::erase(logged, error);
  report.errors.insert(report.errors.begin(), logged.begin(), logged.end());
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

int parse_and_run(int argc, char** argv) {
  occupy_standard_descriptors();
  Invocation invocation;
  try {
    parse_command_line(argc, argv, invocation);
  } catch (const UsageError& error) {
    return print_error("usage", error.what(), invocation.common.json, kExitUsage);
  }
  if (!invocation.action) return kExitOk;
  keep_standard_output();
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

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The only code that writes to standard output and standard error.
#ifndef PATCHBAY_TOOLS_REPORT_H_
#define PATCHBAY_TOOLS_REPORT_H_

#include <string>
#include <string_view>

#include "command.h"

namespace patchbay::tools {

/// Files that are opened later do not get the number of a standard descriptor that is closed.
/// Writing to a closed standard output stays an error.
void occupy_standard_descriptors();
/// Keeps standard output for reports: what drivers and other libraries print there goes to standard
/// error from now on.
void keep_standard_output();

/// Prints the text, or one JSON object, to standard output and returns the exit status. Logged
/// lines go to standard error, or to "errors" in the object.
int print_report(Report report, bool json);
/// Prints, as JSON, {"error": {"code", "message"}} to standard output; as text, a line to standard
/// error. Includes what was logged.
int print_error(std::string_view code, std::string_view message, bool json, int exit_status,
                std::vector<std::string> logged = {});

/// On a terminal, prints a line to standard error that the next one overwrites; otherwise nothing.
void show_progress(const std::string& line);
/// Prints a line to standard error if that is no terminal: a log is read while it grows.
void log_progress(const std::string& line);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_REPORT_H_

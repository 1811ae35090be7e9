// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The one place that writes to standard output and standard error.
#ifndef PATCHBAY_TOOLS_REPORT_H_
#define PATCHBAY_TOOLS_REPORT_H_

#include <string>
#include <string_view>

#include "command.h"

namespace patchbay::tools {

/// Standard output gets the text, or one JSON object. Returns the exit status. Lines of the log go
/// to standard error, or as "errors" into the object.
int print_report(Report report, bool json);
/// JSON: {"error": {"code", "message"}} on standard output; text: one line on standard error. What
/// was logged is said as well.
int print_error(std::string_view code, std::string_view message, bool json, int exit_status,
                std::vector<std::string> logged = {});

/// On a terminal, a line on standard error that the next one overwrites; nothing elsewhere.
void show_progress(const std::string& line);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_REPORT_H_

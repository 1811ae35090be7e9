// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The process that examines a plugin for `patchbay check`. A plugin can crash it, end it, or make
// it hang; examination.h runs it from outside.
#ifndef PATCHBAY_TOOLS_EXAMINER_H_
#define PATCHBAY_TOOLS_EXAMINER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "command.h"
#include "conformance/support/check.h"

namespace patchbay::tools {

struct ExaminationRequest {
  std::function<conformance::Subject()> find_subject;  // loads the plugin
  std::vector<conformance::Check> checks;
  std::chrono::milliseconds time_limit;
  std::shared_ptr<ErrorLog> errors;
  bool logs_progress = false;  // lines on standard error, unless it is a terminal
};

/// Memory that both processes share.
struct CrashNote {
  char entry[96];  // the plugin's entry in which the process crashed or ended; empty if none
};

/// Runs the checks from number `first` on. Writes a line of JSON to `pipe` for each event:
/// "subject", "begin", "outcome", "error", "logged", "end". Never returns.
[[noreturn]] void examine(const ExaminationRequest& request, std::size_t first, int pipe,
                          CrashNote& words);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_EXAMINER_H_

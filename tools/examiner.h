// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The process that examines a plugin for `patchbay check`. A plugin can crash it, end it, or keep
// it from ending; examination.h has the other side, which survives.
#ifndef PATCHBAY_TOOLS_EXAMINER_H_
#define PATCHBAY_TOOLS_EXAMINER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "command.h"
#include "conformance/check.h"

namespace patchbay::tools {

struct ExaminationRequest {
  std::function<conformance::Subject()> find_subject;  // loads the plugin
  std::vector<conformance::Check> checks;
  std::chrono::milliseconds time_limit;
  std::shared_ptr<ErrorLog> errors;
};

/// Memory that both processes see.
struct LastWords {
  char entry[96];  // of the plugin, in which the process crashed or ended; empty: in none
};

/// Runs the checks from number `first` on and writes a line of JSON to `pipe` for each thing that
/// happens: "subject", "begin", "outcome", "error", "logged", "end". It never returns.
[[noreturn]] void examine(const ExaminationRequest& request, std::size_t first, int pipe,
                          LastWords& words);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_EXAMINER_H_

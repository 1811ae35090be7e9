// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The words of the command line: commands, their options and the help.
#ifndef PATCHBAY_TOOLS_COMMAND_LINE_H_
#define PATCHBAY_TOOLS_COMMAND_LINE_H_

#include <functional>
#include <stdexcept>

#include "command.h"

namespace patchbay::tools {

/// A command line that is not understood.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A parsed command line.
struct Invocation {
  CommonOptions common;
  std::function<Report()> action;  // empty: the help was printed, and nothing is left to do
};

/// `invocation` must live as long as its action. Errors: UsageError, with `common.json` set.
void parse_command_line(int argc, char** argv, Invocation& invocation);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_COMMAND_LINE_H_

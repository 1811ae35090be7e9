// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What every example's main does around its own work.
#ifndef PATCHBAY_EXAMPLES_COMMON_PROGRAM_H_
#define PATCHBAY_EXAMPLES_COMMON_PROGRAM_H_

#include <functional>

#include <CLI/CLI.hpp>

namespace examples {

/// Parses the command line, then calls `work`. The exit status: 0, 1 for an error (one line on
/// stderr), 2 for a command line that is not understood.
int run_program(CLI::App& app, int argc, char** argv, const std::function<void()>& work);

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_COMMON_PROGRAM_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Starts the compiler, and whatever else a plugin runs, so that it inherits nothing of the
// caller's.
#ifndef PATCHBAY_KIT_EXECUTOR_CHILD_PROCESS_HPP_
#define PATCHBAY_KIT_EXECUTOR_CHILD_PROCESS_HPP_

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace patchbay::executor {

struct ChildProgram {
  std::vector<std::string> arguments;  // the first is the program's absolute path
  /// Where it runs and keeps temporary files: an absolute path to a folder that only this user may
  /// write. A linker looks for libraries in its working directory.
  std::string directory;
  std::chrono::seconds deadline;
};

/// How a child ended.
struct ChildEnd {
  std::optional<int> status;  // a wait status; none if the application ignores or reaps children
  bool is_late = false;       // it was stopped at the deadline
  std::string output;         // the first 16 KiB
};

/// Throws `unsupported` if this process has raised privileges: it starts no other program, because
/// nobody can say what a compiler reads on its way.
void check_children_allowed();

/// Runs a program and waits for it. Of this process it gets no variable, descriptor, blocked or
/// ignored signal and not the working directory. At the deadline, and at its end, all processes of
/// its group are stopped. Throws PATCHBAY_DRIVER_ERROR if it can't be started.
ChildEnd run_child(const ChildProgram& program);

}  // namespace patchbay::executor

#endif  // PATCHBAY_KIT_EXECUTOR_CHILD_PROCESS_HPP_

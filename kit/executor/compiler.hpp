// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The system's C++ compiler, run as a program, without a shell.
#ifndef PATCHBAY_KIT_EXECUTOR_COMPILER_HPP_
#define PATCHBAY_KIT_EXECUTOR_COMPILER_HPP_

#include <chrono>
#include <string>
#include <vector>

#include "patchbay/plugin/kit/host.hpp"

#include "kit/executor/work_folder.hpp"

namespace patchbay::executor {

class Compiler {
 public:
  /// Uses the setting kernel_compiler (an absolute path, or a name in an absolute folder of PATH),
  /// else `c++` on PATH, whose value is `path`. It runs in `directory`, which is the private cache.
  /// Throws `unsupported` with a remedy if there is none, PATCHBAY_BUILD_FAILED if it does not say
  /// its version in time.
  Compiler(plugin::Host host, const std::string& path, const std::string& directory);

  /// Everything that determines the output for a text: compiler, version, options, processor.
  const std::string& identity() const { return identity_; }
  /// Compiles the C++ text in the folder to a shared library in it. `log` is the output. Returns
  /// what is wrong, with the output if there is any; empty if the library is there. Waits as long
  /// as kernel_compiler_timeout_s says at most.
  std::string compile(const WorkFolder& work, std::string& log) const;

 private:
  std::string path_;
  std::chrono::seconds deadline_;
  std::string identity_;
  std::vector<std::string> options_;
};

}  // namespace patchbay::executor

#endif  // PATCHBAY_KIT_EXECUTOR_COMPILER_HPP_

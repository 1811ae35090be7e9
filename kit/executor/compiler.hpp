// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The system's C++ compiler, run as a program, without a shell.
#ifndef PATCHBAY_KIT_EXECUTOR_COMPILER_HPP_
#define PATCHBAY_KIT_EXECUTOR_COMPILER_HPP_

#include <string>
#include <vector>

#include "patchbay/plugin/kit/host.hpp"

namespace patchbay::executor {

class Compiler {
 public:
  /// Uses the setting kernel_compiler (a path, or a name on PATH), else `c++` on PATH; with raised
  /// privileges PATH is /usr/bin:/bin. Throws `unsupported` with a remedy if there is none.
  explicit Compiler(plugin::Host host);

  /// Everything that determines the output for a text: compiler, version, options, processor.
  const std::string& identity() const { return identity_; }
  /// Compiles a C++ text to a shared library. `log` is the output. Returns what is wrong, with the
  /// output if there is any; empty if the library is there.
  std::string compile(const std::string& source_path, const std::string& library_path,
                      std::string& log) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string identity_;
  std::vector<std::string> options_;
};

}  // namespace patchbay::executor

#endif  // PATCHBAY_KIT_EXECUTOR_COMPILER_HPP_

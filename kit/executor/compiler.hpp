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
  /// What the option kernel_compiler names (a path, or a name on PATH), else `c++` on PATH; with
  /// raised privileges PATH is /usr/bin:/bin. Throws `unsupported` with the way out if there is
  /// none.
  explicit Compiler(plugin::Host host);

  /// All that decides what comes out of a text: compiler, version, options, processor.
  const std::string& identity() const { return identity_; }
  /// Makes a shared library of a C++ text. False with the compiler's output in `log` if it refuses.
  bool compile(const std::string& source_path, const std::string& library_path,
               std::string& log) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string identity_;
  std::vector<std::string> options_;
};

}  // namespace patchbay::executor

#endif  // PATCHBAY_KIT_EXECUTOR_COMPILER_HPP_

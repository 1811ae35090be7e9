// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The system's C++ compiler, run as a program, without a shell, in a folder of its own.
#ifndef PATCHBAY_KIT_EXECUTOR_COMPILER_HPP_
#define PATCHBAY_KIT_EXECUTOR_COMPILER_HPP_

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/kit/host.hpp"

namespace patchbay::executor {

/// A new hidden folder in the cache, mode 0700, in which the compiler runs: it has nothing that a
/// compiler or linker could find by a relative name. Removed with this object. It is locked as long
/// as its process lives; whoever makes the next one removes those that nobody holds.
class WorkFolder {
 public:
  /// Writes the text that is to be compiled. Throws io_failed with the file's name.
  WorkFolder(const std::string& cache, std::string_view text);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string text() const { return path_ + "/kernel.cpp"; }
  /// The path for the compiler's result.
  std::string library() const { return path_ + "/kernel.so"; }

 private:
  void make(const std::string& cache);
  void remove() noexcept;

  std::string path_;
  int lock_ = -1;
};

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

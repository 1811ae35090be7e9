// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where one kernel is compiled.
#ifndef PATCHBAY_KIT_EXECUTOR_WORK_FOLDER_HPP_
#define PATCHBAY_KIT_EXECUTOR_WORK_FOLDER_HPP_

#include <string>
#include <string_view>

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

}  // namespace patchbay::executor

#endif  // PATCHBAY_KIT_EXECUTOR_WORK_FOLDER_HPP_

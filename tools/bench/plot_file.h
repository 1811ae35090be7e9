// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TOOLS_BENCH_PLOT_FILE_H_
#define PATCHBAY_TOOLS_BENCH_PLOT_FILE_H_

#include <string>

#include "core/nn/files/file.h"

namespace patchbay::tools {

/// The file of the option --plot. Tried before anything is measured and written at the end, so a
/// command that fails leaves what was there. A regular file is replaced when the new one is
/// complete, where that is possible. Anything else, such as a pipe or a link, is opened and written
/// itself. An empty path: no plot is wanted.
class PlotFile {
 public:
  /// `command` names the caller in errors. Errors: kIo if the file can't be written,
  /// kInvalidArgument if the path names none.
  PlotFile(std::string command, std::string path);

  bool is_wanted() const { return !path_.empty(); }
  /// Errors: kIo.
  void write(const std::string& svg) const;

 private:
  void replace(const std::string* svg) const;
  void write_opened(const std::string& svg) const;
  [[noreturn]] void fail(int error) const;

  const std::string command_, path_;
  nn::files::Descriptor opened_{-1};  // of what was there
  bool is_file_ = false;              // what was there is a regular file
};

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_BENCH_PLOT_FILE_H_

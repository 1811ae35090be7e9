// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the benchmarks share: the clock, medians, and the file of a plot.
#ifndef PATCHBAY_TOOLS_BENCH_TIMING_H_
#define PATCHBAY_TOOLS_BENCH_TIMING_H_

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include <patchbay/error.h>

namespace patchbay::tools {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The file of the option --plot, opened before anything is measured. An empty path: none.
class PlotFile {
 public:
  /// `command` names the caller in errors. Errors: kIo.
  PlotFile(std::string command, std::string path)
      : command_(std::move(command)), path_(std::move(path)) {
    if (path_.empty()) return;
    file_.open(path_, std::ios::binary);
    if (!file_) fail();
  }
  bool is_wanted() const { return !path_.empty(); }
  void write(const std::string& svg) {
    file_ << svg;
    if (!file_.flush()) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorCode::kIo, "[" + command_ + "] can't write '" + path_ +
                                    "'. Name a file in a directory that exists.");
  }

  const std::string command_, path_;
  std::ofstream file_;
};

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_BENCH_TIMING_H_

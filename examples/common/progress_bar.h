// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_EXAMPLES_COMMON_PROGRESS_BAR_H_
#define PATCHBAY_EXAMPLES_COMMON_PROGRESS_BAR_H_

#include <cstdint>

namespace examples {

/// A line on stderr that shows how far the work is, if stderr is a terminal; otherwise nothing.
class ProgressBar {
 public:
  explicit ProgressBar(std::int64_t total);
  /// Wipes the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::int64_t done);

 private:
  std::int64_t total_;
  bool is_terminal_;
  int percent_ = -1;
};

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_COMMON_PROGRESS_BAR_H_

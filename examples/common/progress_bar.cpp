// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "examples/common/progress_bar.h"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace examples {
namespace {
constexpr int kWidth = 50;
}

ProgressBar::ProgressBar(std::int64_t total)
    : total_(total), is_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (percent_ >= 0) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::show(std::int64_t done) {
  const int percent = static_cast<int>(done * 100 / total_);
  if (!is_terminal_ || percent == percent_) return;
  percent_ = percent;
  std::fprintf(stderr, "\r[%-*s] %3d %%", kWidth,
               std::string(static_cast<std::size_t>(percent * kWidth / 100), '#').c_str(), percent);
}

}  // namespace examples

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_EXAMPLES_COMMON_STOPWATCH_H_
#define PATCHBAY_EXAMPLES_COMMON_STOPWATCH_H_

#include <chrono>

namespace examples {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_COMMON_STOPWATCH_H_

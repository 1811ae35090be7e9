// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of a process that a driver may change when it is opened. Linux only: reads /proc/self.
#ifndef PATCHBAY_TOOLS_PROCESS_STATE_H_
#define PATCHBAY_TOOLS_PROCESS_STATE_H_

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace patchbay::tools {

struct ProcessState {
  static ProcessState now();

  std::chrono::steady_clock::time_point time;
  std::vector<const void*> signal_handlers;  // by signal number
  std::set<std::string> libraries;           // executable mapped files
  std::size_t num_threads = 0, num_files = 0, resident_bytes = 0;
};

/// The difference between two states.
struct ProcessChanges {
  ProcessChanges(const ProcessState& before, const ProcessState& after);

  /// "63 ms, 64 MB, 3 threads, 15 signal handlers (SIGINT SIGTERM ...), 12 libraries"
  std::string to_text() const;
  nlohmann::json to_json() const;

  double milliseconds = 0;
  long long resident_bytes = 0, num_threads = 0, num_files = 0;
  std::vector<std::string> signals, libraries;
};

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_PROCESS_STATE_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a driver may change in the process that opens it. Linux only: it reads /proc/self.
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
  std::vector<const void*> signal_handlers;  // by number of the signal
  std::set<std::string> libraries;           // files that are mapped to be run
  std::size_t num_threads = 0, num_files = 0, resident_bytes = 0;
};

/// From one state to a later one.
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

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_FINDINGS_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_FINDINGS_H_

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "patchbay/plugin/host.h"

#include "core/base/logger.h"

namespace patchbay::runtime::validation {

/// What was found: logged, kept for the report, and told by a status. Thread-safe; the log's sink
/// is the program's, so no lock is held when something is added.
class Findings {
 public:
  explicit Findings(Logger& logger) : logger_(logger) {}

  /// At the call that is wrong: its status.
  patchbay_status* raise(const std::string& text);
  /// Found later: the next call that waits gives it.
  void add_late(const std::string& text);
  /// Of what was found later, the first that no call has given; null if there is none.
  patchbay_status* take_late();
  /// The report has told them.
  void forget_late();

  std::uint64_t count() const;
  std::vector<std::string> texts() const;

 private:
  static constexpr std::size_t kMostKept = 1000;
  void keep(const std::string& text, bool is_late);

  Logger& logger_;
  mutable std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::vector<std::string> texts_;
  std::deque<std::string> late_;
};

}  // namespace patchbay::runtime::validation

#endif  // PATCHBAY_CORE_RUNTIME_VALIDATION_FINDINGS_H_

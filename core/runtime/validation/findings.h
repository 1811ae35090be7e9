// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_FINDINGS_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_FINDINGS_H_

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "patchbay/plugin/host.h"

#include "core/output/logger.h"

namespace patchbay::runtime::validation {

/// What validation found: logged, kept for the report, and returned as a status. Thread-safe.
class Findings {
 public:
  explicit Findings(Logger& logger) : logger_(logger) {}

  /// Adds a finding about the current call and returns the call's status.
  patchbay_status* raise(const std::string& text);
  /// Adds a finding about earlier work. The next call that waits returns it.
  void add_late(const std::string& text);
  /// The first late finding that no call has returned; null if there is none.
  patchbay_status* take_late();
  /// Drops the late findings, which the report has listed.
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

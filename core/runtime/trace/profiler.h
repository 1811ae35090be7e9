// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Sums up calls, times and bytes by operator and device.
#ifndef PATCHBAY_CORE_RUNTIME_TRACE_PROFILER_H_
#define PATCHBAY_CORE_RUNTIME_TRACE_PROFILER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "patchbay/profile.h"

#include "core/base/fork.h"
#include "core/runtime/trace/submission.h"

namespace patchbay::runtime {

/// Thread-safe. Drops what there is no memory for.
class Profiler {
 public:
  void add_call(const std::string& device, const std::string& name, std::uint64_t bytes) noexcept;
  /// The time of a call that was added before.
  void add_time(const std::string& device, const std::string& name, std::uint64_t ns) noexcept;
  /// Those that took longest first.
  std::vector<ProfileRow> rows() const;

 private:
  struct Counts {
    std::uint64_t calls = 0, timed_calls = 0, ns = 0, bytes = 0;
  };

  const HomeProcess home_;  // forked processes add nothing
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Counts> counts_;
};

/// The profilers of one moment; null if there is none.
using Profilers = std::shared_ptr<const std::vector<std::shared_ptr<Profiler>>>;

/// A call without its time, which may follow. No profilers: null.
void add_call(const Profilers& profilers, const std::string& device,
              const Submission& what) noexcept;
void add_time(const Profilers& profilers, const std::string& device, const std::string& name,
              std::uint64_t ns) noexcept;
/// A call and its time.
void add_measured(const Profilers& profilers, const std::string& device, const Submission& what,
                  std::uint64_t ns) noexcept;

/// Lines of text: a head, a line for each row, and a line for each device with calls without a
/// time.
std::string profile_table(const std::vector<ProfileRow>& rows);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_TRACE_PROFILER_H_

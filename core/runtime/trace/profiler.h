// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Describes launches and copies; sums up calls, times and bytes by operator and device.
#ifndef PATCHBAY_CORE_RUNTIME_TRACE_PROFILER_H_
#define PATCHBAY_CORE_RUNTIME_TRACE_PROFILER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "patchbay/plugin/types.h"
#include "patchbay/profile.h"

namespace patchbay::runtime {

/// A launch or copy, as described in messages, times, traces and profiles.
struct Submission {
  std::string_view name;
  bool is_copy = false;
  std::uint64_t size_bytes = 0;                       // of a copy
  std::string_view from = {}, to = {};                // of a copy: a device's name, or "host"
  std::span<const patchbay_argument> arguments = {};  // of a launch

  /// The operator of its row in a profile: the launch's name, or "copy cpu:0 -> host".
  std::string row_name() const;
  /// The bytes of a copy, or those that a launch's tensors have, once for reading and once for
  /// writing. Elements that a broadcast repeats count once.
  std::uint64_t moved_bytes() const;
};

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

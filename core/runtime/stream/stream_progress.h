// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How far a stream has come, its recent submissions and its failures. Outlives the stream, for
// memory and events that remember a position on it.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_STREAM_PROGRESS_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_STREAM_PROGRESS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/runtime/stream/fault.h"

namespace patchbay::runtime {

/// Thread-safe. Positions count from 1.
class StreamProgress {
 public:
  explicit StreamProgress(std::string device_name);

  std::atomic<std::uint64_t> completed{0};  // as far as known

  bool has_passed(std::uint64_t sequence) const {
    return completed.load(std::memory_order_acquire) >= sequence;
  }
  /// Notes that everything up to `sequence` has ended, whether it failed or not.
  void pass(std::uint64_t sequence);

  /// Remembers the name of a launch or copy for messages; cuts a long one.
  void note_submission(std::uint64_t sequence, std::string_view name);
  /// Notes that work from `sequence` on waits for a position elsewhere, and fails if that fails.
  void note_wait(std::uint64_t sequence, std::shared_ptr<StreamProgress> awaited,
                 std::uint64_t awaited_sequence);
  /// The open work up to a position, ": [add], [mul] are not done"; empty if none is known.
  std::string describe_open(std::uint64_t up_to) const;
  /// Drops the waits, so that streams that wait for each other don't keep each other alive.
  void forget_waits();

  /// Whether the stream has failed and was not restarted.
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  /// Null if it has not failed.
  FaultPtr fault() const;
  /// The failure of the submission at `sequence`; null if none is known.
  FaultPtr fault_at(std::uint64_t sequence) const;
  /// Notes the failure of unfinished work up to `sequence`. Returns the first failure if there was
  /// one, and only repeats a failure known before a restart. Without memory for a text, notes a
  /// failure of unknown cause.
  FaultPtr fail(const patchbay_status& status, std::uint64_t sequence) noexcept;
  FaultPtr fail(FaultPtr fault) noexcept;
  /// The number of failures of all streams so far, among them waits that were given up.
  static std::uint64_t num_failures() { return failures_so_far.load(std::memory_order_acquire); }
  /// Counts one that is no failure of the stream.
  static void count_failure() { failures_so_far.fetch_add(1, std::memory_order_acq_rel); }
  /// Work after `submitted` is no longer affected by earlier failures. Errors: std::bad_alloc.
  void restart(std::uint64_t submitted);

 private:
  struct Submission {
    std::uint64_t sequence;
    std::uint8_t size;
    std::array<char, 39> name;
  };
  struct Wait {
    std::uint64_t sequence;
    std::shared_ptr<StreamProgress> awaited;
    std::uint64_t awaited_sequence;
  };
  struct Failure {
    std::uint64_t first, last;
    FaultPtr fault;
  };
  static constexpr std::size_t kKept = 64;  // older ones are overwritten

  std::vector<Wait> open_waits() const;
  std::vector<Wait> all_open_waits() const;
  FaultPtr fault_of(const patchbay_status& status) const;
  bool has_open(std::string_view name, std::uint64_t up_to) const;
  /// Each name once, oldest first. The caller holds the lock.
  std::vector<std::string_view> open_names(std::uint64_t up_to) const;
  std::string places_of(std::string_view name, const std::vector<Wait>& waits) const;
  std::string describe(const patchbay_status& status, const std::vector<Wait>& waits) const;

  const std::string device_name_;
  mutable std::mutex mutex_;  // never held together with another stream's
  std::uint64_t num_submissions_ = 0;
  std::array<Submission, kKept> submissions_{};  // sequence 0: none
  std::vector<Wait> waits_;
  std::size_t next_sweep_ = 16;    // the number of waits at which those that have ended are dropped
  std::vector<Failure> failures_;  // always with room for one more while none stands
  std::atomic<bool> failed_{false}, ever_failed_{false};
  static constinit std::atomic<std::uint64_t> failures_so_far;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_STREAM_PROGRESS_H_

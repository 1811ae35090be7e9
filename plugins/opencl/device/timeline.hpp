// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a stream was given and what became of it. Shared by the stream, its events, and those who
// wait for them, so that a failure can be told with its origin when its stream is gone.
#ifndef PATCHBAY_PLUGINS_OPENCL_DEVICE_TIMELINE_HPP_
#define PATCHBAY_PLUGINS_OPENCL_DEVICE_TIMELINE_HPP_

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/error.hpp"

#include "opencl/api/handle.hpp"

namespace patchbay::opencl {

class Timeline;

/// A place on a timeline; an empty one is the beginning of time.
struct Position {
  std::shared_ptr<Timeline> timeline;
  std::uint64_t number = 0;

  /// Throws what failed up to here, if anything did.
  void check() const;
};

/// Numbers the submissions of all streams of a device, so that what a submission waits for always
/// has a smaller number than its own; and locks their timelines, of which one looks into another.
struct SubmissionClock {
  std::mutex mutex;
  std::uint64_t last = 0;
};

class Timeline {
 public:
  Timeline(const Symbols& cl, std::shared_ptr<SubmissionClock> clock)
      : cl_(cl), clock_(std::move(clock)) {}

  /// Notes a submission, which `event` stands for, and gives its number. If it waits for a
  /// position elsewhere, a failure there is its own.
  std::uint64_t submitted(EventHandle event, std::string_view name, Position after = {});
  std::uint64_t last() const;
  /// Whether all up to `number` has ended, well or not.
  bool is_done(std::uint64_t number);
  /// The event of the last submission, which stands for all before it; none if all has ended.
  /// Flushes `queue`, for nobody may wait for what its queue still holds back.
  EventHandle last_pending(cl_queue queue);

  /// Forgets all that is done, and so lets go of the timelines that it waited for.
  void settle();
  /// Throws the failure of a submission up to `number`.
  void check(std::uint64_t number);

 private:
  struct Submission {
    std::uint64_t number;
    EventHandle event;
    std::string name;
    Position after;
  };

  // These hold the clock's lock.
  void collect(std::uint64_t up_to);
  static std::optional<plugin::StatusError> failure_of(const Submission& submission,
                                                       std::int64_t status);
  std::optional<plugin::StatusError> failure(std::uint64_t up_to);

  const Symbols& cl_;
  const std::shared_ptr<SubmissionClock> clock_;
  std::uint64_t last_ = 0;
  std::deque<Submission> pending_;
  std::uint64_t failed_at_ = 0;
  std::optional<plugin::StatusError> failure_;  // the first; it stays
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_DEVICE_TIMELINE_HPP_

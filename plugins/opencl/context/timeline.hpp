// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Events, and the submissions of a stream and their results. Shared by the stream, its events, and
// the streams that wait for them, so a failure can be reported with its origin after its stream is
// destroyed.
#ifndef PATCHBAY_PLUGINS_OPENCL_CONTEXT_TIMELINE_HPP_
#define PATCHBAY_PLUGINS_OPENCL_CONTEXT_TIMELINE_HPP_

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/error.hpp"
#include "patchbay/plugin/kit/objects.hpp"

#include "opencl/api/handle.hpp"

namespace patchbay::opencl {

class Timeline;

/// A second handle of the event.
EventHandle retain(const Symbols& cl, const EventHandle& event);

/// A position on a timeline; a default one precedes all submissions.
struct Position {
  std::shared_ptr<Timeline> timeline;
  std::uint64_t number = 0;

  /// Throws the failure of work up to this position, if any.
  void check() const;
};

/// Numbers the submissions of all streams of a device, so a submission has a larger number than
/// those it waits for. Its lock protects all their timelines, because one reads another.
struct SubmissionClock {
  std::mutex mutex;
  std::uint64_t last = 0;
};

class Timeline {
 public:
  Timeline(const Symbols& cl, std::shared_ptr<SubmissionClock> clock)
      : cl_(cl), clock_(std::move(clock)) {}

  /// Records a submission, which `event` represents, and returns its number. If it waits for a
  /// position on another timeline, a failure there is also its failure.
  std::uint64_t submitted(EventHandle event, std::string_view name, Position after = {});
  std::uint64_t last() const;
  /// Whether all submissions up to `number` have completed or failed.
  bool is_done(std::uint64_t number);
  /// The event of the last submission, which completes after all earlier ones; none if all have
  /// ended. Flushes `queue`, because work that is not flushed may never start.
  EventHandle last_pending(cl_queue queue);

  /// Removes completed submissions, which releases the timelines that they waited for.
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

  // The caller holds the clock's lock.
  void collect(std::uint64_t up_to);
  static std::optional<plugin::StatusError> failure_of(const Submission& submission,
                                                       std::int64_t status);
  std::optional<plugin::StatusError> failure(std::uint64_t up_to);

  const Symbols& cl_;
  const std::shared_ptr<SubmissionClock> clock_;
  std::uint64_t last_ = 0;
  std::deque<Submission> pending_;
  std::uint64_t failed_at_ = 0;
  std::optional<plugin::StatusError> failure_;  // the first failure
};

class Context;

/// A marker in a queue. An event that was not recorded has no marker and is done.
class Event : public plugin::Event {
 public:
  explicit Event(const Context& context) : context_(context) {}

  bool is_done() override;
  bool wait(std::uint64_t deadline_ns) override;
  std::uint64_t nanoseconds_since(plugin::Event& earlier) override;

  void set(EventHandle marker, Position position);
  const Context& context() const { return context_; }
  cl_event native() const { return marker_.get(); }
  const Position& position() const { return position_; }

 private:
  std::uint64_t reached_ns();

  const Context& context_;
  EventHandle marker_;
  Position position_;
};

/// Waits until the event has completed or failed. Returns false if the deadline passes first.
bool wait_for(const Symbols& cl, cl_event event, plugin::Host host, std::uint64_t deadline_ns);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_CONTEXT_TIMELINE_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// When a stream's launches and copies ran on the device, for its line in the trace and for
// profiles.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_STREAM_TRACE_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_STREAM_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "patchbay/stream.h"

#include "core/base/clock.h"
#include "core/runtime/stream/stream_state.h"
#include "core/runtime/trace/profiler.h"
#include "core/runtime/trace/trace_span.h"
#include "core/runtime/trace/tracer.h"

namespace patchbay::runtime {

/// Measures when a stream's launches and copies ran, with an event before and after each.
class StreamTimes {
 public:
  explicit StreamTimes(StreamState& stream) : stream_(stream) {}

  // Called around each submission; the caller holds the stream's mutex.
  void begin(const Submission& what);
  void end();
  /// Drops the measurements of a queue that was replaced.
  void restart();

  /// The finished measurements, oldest first.
  std::vector<SubmissionTime> take();

 private:
  struct Measured {
    SubmissionTime time;
    std::shared_ptr<EventState> origin, start, end;
  };
  static constexpr std::size_t kKept = 4096;

  std::shared_ptr<EventState> mark();
  static bool finish(Measured& measured);

  StreamState& stream_;
  std::shared_ptr<EventState> origin_;  // the zero of `start`
  Measured next_;
  output::NoDeliveryMutex mutex_;  // guards measured_; taken inside the stream's
  std::deque<Measured> measured_;
};

/// For streams with times. Records events around each submission and writes the times in a later
/// call, once they are known.
class StreamTrace {
 public:
  explicit StreamTrace(StreamState& stream) : stream_(stream) {}

  // Called around each submission; the caller holds the stream's mutex.
  void begin(const Submission& what);
  void end(const Submission& what) noexcept;
  /// Forgets a submission that was refused.
  void drop_next() noexcept { next_ = {}; }
  bool has_pending() noexcept;
  /// Writes work that is known to have ended.
  void write() noexcept;
  /// Drops the submissions of a queue that was replaced.
  void restart() noexcept;

 private:
  struct Origin {
    std::shared_ptr<EventState> event;
    std::uint64_t host_ns = 0;
  };
  struct Pending {
    Tracer* tracer = nullptr;  // null without a trace
    std::string name;
    std::uint64_t size_bytes = 0, submitted_ns = 0;
    Track host;
    Profilers profilers;  // null without a profile
    std::string row;      // of the profiles
    std::shared_ptr<EventState> start, end;
  };

  std::shared_ptr<EventState> mark();
  void set_origin();
  void write_one(const Pending& ended) const;
  void write_span(const Pending& ended, std::uint64_t duration_ns) const;

  StreamState& stream_;
  Origin origin_;  // one moment in the device's time and the host's
  Pending next_;
  output::NoDeliveryMutex mutex_;  // guards pending_; taken inside the stream's
  std::deque<Pending> pending_;
};

/// The span of inline work, which runs on the device while it is submitted.
class InlineSpan {
 public:
  /// The caller of a copy has its own span on the host.
  InlineSpan(const StreamState& stream, const Submission& what)
      : stream_(stream),
        what_(what),
        span_(what.is_copy ? nullptr : stream.spans(), what.name),
        begin_ns_(stream.is_traced() ? base::now_ns() : 0) {}
  ~InlineSpan() {
    if (begin_ns_ != 0) write();
  }
  InlineSpan(const InlineSpan&) = delete;
  InlineSpan& operator=(const InlineSpan&) = delete;

 private:
  void write() const noexcept;

  const StreamState& stream_;
  const Submission what_;
  const TraceSpan span_;
  const std::uint64_t begin_ns_;  // 0: neither trace nor profile
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_STREAM_TRACE_H_

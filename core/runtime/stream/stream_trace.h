// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A stream's line in the trace: when its launches and copies ran on the device.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_STREAM_TRACE_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_STREAM_TRACE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/clock.h"
#include "core/runtime/stream/stream_state.h"
#include "core/runtime/trace/tracer.h"

namespace patchbay::runtime {

/// For streams with times. Records events around each submission and writes the times in a later
/// call, once they are known.
class StreamTrace {
 public:
  explicit StreamTrace(StreamState& stream) : stream_(stream) {}

  // Called around each submission; the caller holds the stream's mutex.
  void begin(Tracer& tracer, const Submission& what);
  void end() noexcept;
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
    Tracer* tracer = nullptr;
    std::string name;
    std::uint64_t size_bytes = 0, submitted_ns = 0;
    Track host;
    std::shared_ptr<EventState> start, end;
  };

  std::shared_ptr<EventState> mark();
  void write_one(const Pending& ended) const;

  StreamState& stream_;
  Origin origin_;  // one moment in the device's time and the host's
  Pending next_;
  std::mutex mutex_;  // guards pending_; taken inside the stream's
  std::deque<Pending> pending_;
};

/// The same for inline work, which runs on the device while it is submitted.
class InlineSpan {
 public:
  /// `size_bytes` is for copies, whose caller has its own span.
  InlineSpan(const StreamState& stream, std::string_view name, std::uint64_t size_bytes = 0)
      : stream_(stream),
        name_(name),
        size_bytes_(size_bytes),
        span_(size_bytes == 0 ? stream.tracer() : nullptr, name),
        tracer_(stream.tracer()),
        begin_ns_(tracer_ != nullptr ? now_ns() : 0) {}
  ~InlineSpan() {
    if (tracer_ != nullptr) write();
  }
  InlineSpan(const InlineSpan&) = delete;
  InlineSpan& operator=(const InlineSpan&) = delete;

 private:
  void write() const noexcept;

  const StreamState& stream_;
  const std::string_view name_;
  const std::uint64_t size_bytes_;
  const TraceSpan span_;
  Tracer* const tracer_;
  const std::uint64_t begin_ns_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_STREAM_TRACE_H_

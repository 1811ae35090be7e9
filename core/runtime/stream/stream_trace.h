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

/// Of a stream with times. Events around each submission; what they say is written once they are
/// done, on the occasion of a later call.
class StreamTrace {
 public:
  explicit StreamTrace(StreamState& stream) : stream_(stream) {}

  // Around each submission; the caller holds the stream's mutex.
  void begin(Tracer& tracer, const Submission& what);
  void end() noexcept;
  /// Writes what is known to have ended.
  void write() noexcept;
  /// Drops what was submitted to a queue that is gone.
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
  Origin origin_;  // where the device's times and the host's meet
  Pending next_;
  std::mutex mutex_;  // of pending_, and inside of the stream's
  std::deque<Pending> pending_;
};

/// The same for what a stream does inline: it runs on the device while it is submitted.
class InlineSpan {
 public:
  /// `size_bytes` of a copy, whose caller has a span of its own.
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

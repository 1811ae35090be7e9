// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Streams and events: queues of a device, and places in them. docs/streams.md tells the story.
#ifndef PATCHBAY_STREAM_H_
#define PATCHBAY_STREAM_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "patchbay/device.h"
#include "patchbay/error.h"
#include "patchbay/export.h"

namespace patchbay {

class Event;
namespace runtime {
struct StreamState;
struct EventState;
struct ScopedStream;
}  // namespace runtime

struct StreamOptions {
  /// Take the times of each launch and copy, for `Stream::take_times`.
  bool times = false;
};

/// When a finished launch or copy ran, by the device's clock.
struct SubmissionTime {
  enum class Kind : std::uint8_t { kLaunch, kCopy };
  std::string name;  // as in errors: "add", "to"
  Kind kind = Kind::kLaunch;
  std::uint64_t size_bytes = 0;       // that a copy moved; 0 for launches
  std::chrono::nanoseconds start{0};  // since the stream's first one
  std::chrono::nanoseconds duration{0};
};

/// Called when a stream has come to a point: with null, or with the error of what failed before.
using StreamCallback = std::function<void(const Error* error)>;

/// An in-order queue of one device. A shared handle; submissions from several threads are
/// serialised by the core. The queue lives until its last handle and its last work are gone.
class PATCHBAY_API Stream {
 public:
  /// A new stream. Errors: what the driver reports.
  explicit Stream(const Device& device, const StreamOptions& options = {});

  Device device() const;
  /// Queued: a position after all that was submitted to this stream.
  Event record() const;
  /// Queued: later work of this stream starts after the event. For an event of another plugin,
  /// which this one can't wait for, the next call that submits or waits here blocks instead.
  void wait(const Event& event) const;
  /// Starts what was submitted, without waiting.
  void flush() const;
  /// Blocks until all is done. Errors: those of the submissions; kTimedOut.
  void synchronize(std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max()) const;
  /// Queued: calls on some other thread, or on this one if there is nothing before it, once all
  /// that was submitted is done or has failed. Later work is not held back. The callback may not
  /// call the runtime (kInvalidArgument); an exception out of it is only logged.
  void add_callback(StreamCallback callback) const;
  /// The times of what has finished since the last call, oldest first; the last 4096 are kept, and
  /// what failed has none. Errors: kUnsupported if the stream was made without.
  std::vector<SubmissionTime> take_times() const;
  /// Makes a stream usable again after a failure, which otherwise every call on it reports. What
  /// was submitted since the last point known to be done is lost; the memory that it was to write
  /// reports the failure until it is written whole. Blocks until the lost work has ended. Does
  /// nothing if nothing failed. Errors: kDeviceLost, since nothing brings a device back.
  void reset() const;

  friend bool operator==(const Stream& a, const Stream& b) { return a.state_ == b.state_; }

  explicit Stream(std::shared_ptr<runtime::StreamState> state) : state_(std::move(state)) {}
  runtime::StreamState& state() const { return *state_; }
  const std::shared_ptr<runtime::StreamState>& shared_state() const { return state_; }

 private:
  std::shared_ptr<runtime::StreamState> state_;
};

/// A position on a stream. A shared handle.
class PATCHBAY_API Event {
 public:
  Device device() const;
  bool is_done() const;
  /// Blocks. Errors: those of the submissions before it; kTimedOut.
  void wait(std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max()) const;

  explicit Event(std::shared_ptr<runtime::EventState> state) : state_(std::move(state)) {}
  runtime::EventState& state() const { return *state_; }

 private:
  friend class Stream;
  std::shared_ptr<runtime::EventState> state_;
};

/// Until it ends, operations on tensors of the stream's device, and copies by that device, go to
/// this stream instead of the default one; on this thread, and on threads that carry its context
/// (ThreadContext). The waits that their operands call for are inserted as ever.
class PATCHBAY_API StreamScope {
 public:
  explicit StreamScope(const Stream& stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  std::shared_ptr<const runtime::ScopedStream> previous_;
};

}  // namespace patchbay

#endif  // PATCHBAY_STREAM_H_

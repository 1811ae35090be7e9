// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Streams and events: queues of a device, and positions in them. docs/streams.md.
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
#include "patchbay/handle.h"

namespace patchbay {

class Event;
namespace runtime {
struct StreamState;
struct EventState;
struct ScopedStream;
}  // namespace runtime

/// Where several streams of a device have work that could start, that of a higher one does.
enum class StreamPriority : std::int8_t { kLow = -1, kNormal = 0, kHigh = 1 };

struct StreamOptions {
  /// Record the times of each launch and copy, for `Stream::take_times`.
  bool times = false;
  /// A hint: without effect on devices whose properties do not say `stream_priorities`.
  StreamPriority priority = StreamPriority::kNormal;
};

/// When a finished launch or copy ran, by the device's clock.
struct SubmissionTime {
  enum class Kind : std::uint8_t { kLaunch, kCopy };
  std::string name;  // as in errors: "add", "to"
  Kind kind = Kind::kLaunch;
  std::uint64_t size_bytes = 0;       // of a copy; 0 for launches
  std::chrono::nanoseconds start{0};  // since the stream's first submission
  std::chrono::nanoseconds duration{0};
};

/// Called when the work before it is done: with null, or with the error if that work failed.
using StreamCallback = std::function<void(const Error* error)>;

/// An in-order queue of one device. A shared handle. Any thread may submit; the core serialises
/// submissions. The queue lives until its last handle is gone and its last work is done.
class PATCHBAY_API Stream {
 public:
  /// A new stream. Errors: those of the driver.
  explicit Stream(const Device& device, const StreamOptions& options = {});

  Device device() const;
  /// An event after all work submitted to this stream. Queued.
  Event record() const;
  /// Later work of this stream starts after the event. Queued. If the event belongs to another
  /// plugin, the next call that submits to this stream or waits for it first waits on the host.
  void wait(const Event& event) const;
  /// Starts submitted work without waiting for it.
  void flush() const;
  /// Blocks until all submitted work is done. Errors: those of the submissions; kTimedOut.
  void synchronize(std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max()) const;
  /// Calls the callback once all submitted work is done or has failed: on another thread, or, if
  /// nothing is pending, at once on this one. Later work is not held back. The callback must not
  /// call the runtime (kInvalidArgument from what submits or waits); an exception that it throws is
  /// logged. synchronize() waits for the work and not for the callback, so what it refers to must
  /// live until it was called.
  void add_callback(StreamCallback callback) const;
  /// The times of the submissions that finished since the last call, oldest first, at most the last
  /// 4096. Failed work has none. Errors: kUnsupported if the stream was made without times.
  std::vector<SubmissionTime> take_times() const;
  /// Makes a failed stream usable again. Work submitted after the last point that is known to be
  /// done is lost; reading memory that it was to write throws the failure until all of it is
  /// written again. Blocks until the lost work has ended. Does nothing if nothing failed. Errors:
  /// kDeviceLost; kUnsupported for a failed stream that the application lent.
  void reset() const;

  friend bool operator==(const Stream& a, const Stream& b) { return a.state_ == b.state_; }

  explicit Stream(std::shared_ptr<runtime::StreamState> state) : state_(std::move(state)) {}
  runtime::StreamState& state() const { return *state_; }
  const std::shared_ptr<runtime::StreamState>& shared_state() const { return state_; }

 private:
  runtime::ObjectHandle<runtime::StreamState, "Stream"> state_;
};

/// A position on a stream. A shared handle.
class PATCHBAY_API Event {
 public:
  Device device() const;
  bool is_done() const;
  /// Blocks until the event is reached. Errors: those of the submissions before it; kTimedOut.
  void wait(std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max()) const;

  explicit Event(std::shared_ptr<runtime::EventState> state) : state_(std::move(state)) {}
  runtime::EventState& state() const { return *state_; }

 private:
  friend class Stream;
  runtime::ObjectHandle<runtime::EventState, "Event"> state_;
};

/// Until the scope ends, tensor operations of the stream's device, and copies by that device, go to
/// this stream instead of the default one: on this thread, and on threads that carry its context
/// (ThreadContext). The waits that the operands need are inserted as always.
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

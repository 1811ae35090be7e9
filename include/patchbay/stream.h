// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_STREAM_H_
#define PATCHBAY_STREAM_H_

#include <chrono>
#include <memory>

#include "patchbay/device.h"
#include "patchbay/export.h"

namespace patchbay {

class Event;
namespace runtime {
struct StreamState;
struct EventState;
}  // namespace runtime

/// An in-order queue of one device. A shared handle; submissions from several threads are
/// serialised by the core. The queue lives until its last handle and its last work are gone.
class PATCHBAY_API Stream {
 public:
  /// A new stream. Errors: what the driver reports.
  explicit Stream(const Device& device);

  Device device() const;
  /// Queued: a position after all that was submitted to this stream.
  Event record() const;
  /// Queued: later work of this stream starts after the event. Blocks for an event of another
  /// plugin, whose events this one can't wait for.
  void wait(const Event& event) const;
  /// Starts what was submitted, without waiting.
  void flush() const;
  /// Blocks until all is done. Errors: those of the submissions; kTimedOut.
  void synchronize(std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max()) const;

  friend bool operator==(const Stream& a, const Stream& b) { return a.state_ == b.state_; }

  explicit Stream(std::shared_ptr<runtime::StreamState> state) : state_(std::move(state)) {}
  runtime::StreamState& state() const { return *state_; }

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
  std::shared_ptr<runtime::EventState> state_;
};

}  // namespace patchbay

#endif  // PATCHBAY_STREAM_H_

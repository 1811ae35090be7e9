// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Measures when a stream's launches and copies ran, with an event before and after each.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_STREAM_TIMES_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_STREAM_TIMES_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "patchbay/stream.h"

#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {

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
  NoDeliveryMutex mutex_;  // guards measured_; taken inside the stream's
  std::deque<Measured> measured_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_STREAM_TIMES_H_

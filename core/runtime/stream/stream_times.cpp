// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream/stream_times.h"

#include <utility>

namespace patchbay::runtime {

std::shared_ptr<EventState> StreamTimes::mark() {
  return stream_.record_locked("take_times", PATCHBAY_EVENT_TIMES);
}

void StreamTimes::begin(const Submission& what) {
  if (origin_ == nullptr) origin_ = mark();
  next_ = {};
  next_.time.name = what.name;
  next_.time.kind = what.is_copy ? SubmissionTime::Kind::kCopy : SubmissionTime::Kind::kLaunch;
  next_.time.size_bytes = what.size_bytes;
  next_.origin = origin_;
  next_.start = mark();
}

void StreamTimes::end() {
  next_.end = mark();
  const std::scoped_lock lock(mutex_);
  if (measured_.size() == kKept) measured_.pop_front();
  measured_.push_back(std::move(next_));
}

void StreamTimes::restart() {
  const std::scoped_lock lock(mutex_);
  measured_.clear();
  origin_.reset();
}

/// False if the submission failed.
bool StreamTimes::finish(Measured& measured) {
  try {
    measured.time.start =
        std::chrono::nanoseconds(measured.start->nanoseconds_since(*measured.origin));
    measured.time.duration =
        std::chrono::nanoseconds(measured.end->nanoseconds_since(*measured.start));
    return true;
  } catch (const Error& error) {
    const bool is_told = error.code() == ErrorCode::kUnsupported;
    if (is_told || error.code() == ErrorCode::kPluginFailed) throw;
    return false;
  }
}

std::vector<SubmissionTime> StreamTimes::take() {
  std::vector<SubmissionTime> result;
  stream_.check_home("take_times");
  const std::scoped_lock lock(mutex_);
  for (; !measured_.empty(); measured_.pop_front()) {
    Measured& first = measured_.front();
    try {
      if (!first.end->is_done()) break;
    } catch (const Error&) {
      continue;
    }
    if (finish(first)) result.push_back(std::move(first.time));
  }
  return result;
}

}  // namespace patchbay::runtime

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream/stream_trace.h"

#include <array>
#include <utility>

#include "core/base/clock.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/runtime_state.h"

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

namespace {

void add_span(Tracer& tracer, Track track, std::string_view name, std::uint64_t begin_ns,
              std::uint64_t end_ns, std::uint64_t size_bytes) noexcept {
  const std::array arguments{TraceArgument{"bytes", size_bytes}};
  tracer.span(track, name, begin_ns, end_ns,
              size_bytes != 0 ? TraceArguments(arguments) : TraceArguments());
}

}  // namespace

void InlineSpan::write() const noexcept {
  const std::uint64_t end_ns = base::now_ns();
  const std::string& device = stream_.device.info.name_text;
  if (Tracer* const tracer = stream_.tracer()) {
    const Track track = tracer->device_track(device, stream_.number);
    add_span(*tracer, track, what_.name, begin_ns_, end_ns, what_.size_bytes);
    tracer->arrow(tracer->host_track(), begin_ns_, track, begin_ns_);
  }
  add_measured(stream_.device.runtime.tracing.profilers(), device, what_, end_ns - begin_ns_);
}

std::shared_ptr<EventState> StreamTrace::mark() {
  return stream_.record_locked("record", PATCHBAY_EVENT_TIMES);
}

/// Waits, to set the device's clock against the host's.
void StreamTrace::set_origin() {
  auto event = mark();
  event->wait(PATCHBAY_NO_DEADLINE);
  origin_ = {std::move(event), base::now_ns()};
}

void StreamTrace::begin(const Submission& what) {
  write();
  next_ = {};
  next_.profilers = stream_.device.runtime.tracing.profilers();
  if (next_.profilers != nullptr) next_.row = what.row_name();
  if (Tracer* const tracer = stream_.tracer()) {
    if (origin_.event == nullptr) set_origin();
    next_.tracer = tracer;
    next_.name = what.name;
    next_.size_bytes = what.size_bytes;
    next_.host = tracer->host_track();
    next_.submitted_ns = base::now_ns();
  }
  next_.start = mark();
}

void StreamTrace::end(const Submission& what) noexcept try {
  if (next_.start == nullptr) return;
  add_call(next_.profilers, stream_.device.info.name_text, what);
  next_.end = mark();
  const std::scoped_lock lock(mutex_);
  pending_.push_back(std::exchange(next_, {}));
} catch (const std::exception&) {  // the submission was made, so only its trace is lost
  next_ = {};
}

bool StreamTrace::has_pending() noexcept {
  const std::scoped_lock lock(mutex_);
  return !pending_.empty();
}

void StreamTrace::restart() noexcept {
  const std::scoped_lock lock(mutex_);
  pending_.clear();
  origin_ = {};
}

void StreamTrace::write() noexcept {
  const std::scoped_lock lock(mutex_);
  for (; !pending_.empty(); pending_.pop_front()) {
    try {
      if (!pending_.front().end->is_done()) return;
      write_one(pending_.front());
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): failed work has no times
    }
  }
}

void StreamTrace::write_one(const Pending& ended) const {
  const std::uint64_t duration_ns = ended.end->nanoseconds_since(*ended.start);
  add_time(ended.profilers, stream_.device.info.name_text, ended.row, duration_ns);
  if (ended.tracer != nullptr) write_span(ended, duration_ns);
}

void StreamTrace::write_span(const Pending& ended, std::uint64_t duration_ns) const {
  const std::uint64_t begin_ns = origin_.host_ns + ended.start->nanoseconds_since(*origin_.event);
  const std::uint64_t end_ns = begin_ns + duration_ns;
  const Track track = ended.tracer->device_track(stream_.device.info.name_text, stream_.number);
  add_span(*ended.tracer, track, ended.name, begin_ns, end_ns, ended.size_bytes);
  ended.tracer->arrow(ended.host, ended.submitted_ns, track, begin_ns);
}

}  // namespace patchbay::runtime

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream/stream_trace.h"

#include <array>
#include <utility>

#include "core/base/clock.h"
#include "core/runtime/device/device_state.h"

namespace patchbay::runtime {
namespace {

void write_span(Tracer& tracer, Track track, std::string_view name, std::uint64_t begin_ns,
                std::uint64_t end_ns, std::uint64_t size_bytes) noexcept {
  const std::array arguments{TraceArgument{"bytes", size_bytes}};
  tracer.span(track, name, begin_ns, end_ns,
              size_bytes != 0 ? TraceArguments(arguments) : TraceArguments());
}

}  // namespace

void InlineSpan::write() const noexcept {
  const Track track = tracer_->device_track(stream_.device.info.name_text, stream_.number);
  write_span(*tracer_, track, name_, begin_ns_, now_ns(), size_bytes_);
  tracer_->arrow(tracer_->host_track(), begin_ns_, track, begin_ns_);
}

std::shared_ptr<EventState> StreamTrace::mark() {
  return stream_.record_locked(nullptr, PATCHBAY_EVENT_TIMES);
}

/// The first call waits, to set the device's clock against the host's.
void StreamTrace::begin(Tracer& tracer, const Submission& what) {
  write();
  if (origin_.event == nullptr) {
    origin_.event = mark();
    origin_.event->wait(PATCHBAY_NO_DEADLINE);
    origin_.host_ns = now_ns();
  }
  next_ = {&tracer, std::string(what.name), what.size_bytes, now_ns(), tracer.host_track(), mark(),
           nullptr};
}

void StreamTrace::end() noexcept try {
  if (next_.tracer == nullptr) return;
  next_.end = mark();
  const std::scoped_lock lock(mutex_);
  pending_.push_back(std::exchange(next_, {}));
} catch (const std::exception&) {  // the submission was made, so only its trace is lost
  next_ = {};
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
  const std::uint64_t begin_ns = origin_.host_ns + ended.start->nanoseconds_since(*origin_.event);
  const std::uint64_t end_ns = begin_ns + ended.end->nanoseconds_since(*ended.start);
  const Track track = ended.tracer->device_track(stream_.device.info.name_text, stream_.number);
  write_span(*ended.tracer, track, ended.name, begin_ns, end_ns, ended.size_bytes);
  ended.tracer->arrow(ended.host, ended.submitted_ns, track, begin_ns);
}

}  // namespace patchbay::runtime

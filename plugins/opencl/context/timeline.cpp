// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/context/timeline.hpp"

#include <limits>
#include <utility>

#include "kit/polling.hpp"
#include "opencl/api/error.hpp"
#include "opencl/context/context.hpp"

namespace patchbay::opencl {

EventHandle retain(const Symbols& cl, const EventHandle& event) {
  check(cl.clRetainEvent(event.get()), "clRetainEvent");
  return {cl, event.get()};
}

void Position::check() const {
  if (timeline != nullptr) timeline->check(number);
}

std::uint64_t Timeline::submitted(EventHandle event, std::string_view name, Position after) {
  const std::lock_guard<std::mutex> lock(clock_->mutex);
  collect(std::numeric_limits<std::uint64_t>::max());
  last_ = ++clock_->last;
  pending_.push_back({last_, std::move(event), std::string(name), std::move(after)});
  return last_;
}

std::uint64_t Timeline::last() const {
  const std::lock_guard<std::mutex> lock(clock_->mutex);
  return last_;
}

bool Timeline::is_done(std::uint64_t number) {
  const std::lock_guard<std::mutex> lock(clock_->mutex);
  collect(number);
  return pending_.empty() || pending_.front().number > number;
}

EventHandle Timeline::last_pending(cl_queue queue) {
  EventHandle last;
  {
    const std::lock_guard<std::mutex> lock(clock_->mutex);
    collect(last_);
    if (pending_.empty()) return {};
    last = retain(cl_, pending_.back().event);
  }
  opencl::check(cl_.clFlush(queue), "clFlush");
  return last;
}

/// The failure of a submission that ended with `status`, if it failed.
std::optional<plugin::StatusError> Timeline::failure_of(const Submission& submission,
                                                        std::int64_t status) {
  if (submission.after.timeline != nullptr) {
    if (auto found = submission.after.timeline->failure(submission.after.number)) return found;
  }
  if (status >= 0) return std::nullopt;
  return plugin::StatusError(PATCHBAY_LAUNCH_FAILED,
                             submission.name + " failed: " + describe(status), status,
                             flags_of(status), submission.name);
}

/// Removes completed submissions. Stops at the first incomplete one, because the queue is in order.
void Timeline::collect(std::uint64_t up_to) {
  while (!pending_.empty() && pending_.front().number <= up_to) {
    const Submission& first = pending_.front();
    cl_int status = 0;
    const cl_int code =
        cl_.clGetEventInfo(first.event.get(), static_cast<cl_uint>(kEventExecutionStatus),
                           sizeof status, &status, nullptr);
    if (code == kSuccess && status > kComplete) return;
    if (!failure_) {
      failure_ = failure_of(first, code == kSuccess ? status : code);
      failed_at_ = first.number;
    }
    pending_.pop_front();
  }
}

std::optional<plugin::StatusError> Timeline::failure(std::uint64_t up_to) {
  collect(up_to);
  return failure_ && failed_at_ <= up_to ? failure_ : std::nullopt;
}

void Timeline::settle() {
  const std::lock_guard<std::mutex> lock(clock_->mutex);
  collect(last_);
}

void Timeline::check(std::uint64_t number) {
  const std::lock_guard<std::mutex> lock(clock_->mutex);
  if (const auto failed = failure(number)) throw plugin::StatusError(*failed);
}

namespace {

bool is_over(const Symbols& cl, cl_event event) {
  cl_int status = 0;
  check(cl.clGetEventInfo(event, static_cast<cl_uint>(kEventExecutionStatus), sizeof status,
                          &status, nullptr),
        "clGetEventInfo");
  return status <= kComplete;
}

}  // namespace

bool wait_for(const Symbols& cl, cl_event event, plugin::Host host, std::uint64_t deadline_ns) {
  if (deadline_ns == PATCHBAY_NO_DEADLINE) {
    const cl_int code = cl.clWaitForEvents(1, &event);
    if (code != kEventFailed) check(code, "clWaitForEvents");
    return true;
  }
  return poll_until(host, deadline_ns, [&] { return is_over(cl, event); });
}

void Event::set(EventHandle marker, Position position) {
  marker_ = std::move(marker);
  position_ = std::move(position);
}

bool Event::is_done() {
  if (!marker_) return true;
  if (!is_over(context_.cl(), marker_.get())) return false;
  position_.check();
  return true;
}

bool Event::wait(std::uint64_t deadline_ns) {
  if (!marker_) return true;
  if (!wait_for(context_.cl(), marker_.get(), host(), deadline_ns)) return false;
  position_.check();
  return true;
}

std::uint64_t Event::reached_ns() {
  std::uint64_t time = 0;
  if (!marker_ || !is_over(context_.cl(), marker_.get())) {
    plugin::invalid_argument("the event has no time yet");
  }
  check(context_.cl().clGetEventProfilingInfo(marker_.get(), static_cast<cl_uint>(kProfilingEnd),
                                              sizeof time, &time, nullptr),
        "clGetEventProfilingInfo");
  return time;
}

std::uint64_t Event::nanoseconds_since(plugin::Event& earlier) {
  const std::uint64_t from = static_cast<Event&>(earlier).reached_ns();
  const std::uint64_t to = reached_ns();
  return to > from ? to - from : 0;
}

}  // namespace patchbay::opencl

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/context/event.hpp"

#include <utility>

#include "kit/polling.hpp"
#include "opencl/api/error.hpp"
#include "opencl/context/context.hpp"

namespace patchbay::opencl {
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

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/context/stream.hpp"

#include <string>

#include "opencl/api/error.hpp"
#include "opencl/context/context.hpp"
#include "opencl/context/timeline.hpp"

namespace patchbay::opencl {

QueueHandle create_queue(const Context& context, bool with_times) {
  cl_int code = 0;
  const auto properties = static_cast<cl_bits>(with_times ? kQueueProfilingEnable : 0);
  const cl_queue queue =
      context.cl().clCreateCommandQueue(context.native(), context.info().id, properties, &code);
  check(code, "clCreateCommandQueue");
  return {context.cl(), queue};
}

Stream::Stream(const Context& context, QueueHandle queue)
    : context_(context),
      cl_(context.cl()),
      queue_(std::move(queue)),
      timeline_(std::make_shared<Timeline>(cl_, context.clock())),
      entry_(context.process_end(), *this) {}

Stream::~Stream() {
  try {
    const EventHandle marker = mark();
    wait_for(cl_, marker.get(), host(), PATCHBAY_NO_DEADLINE);
  } catch (...) {
    cl_.clFinish(queue_.get());  // the queue no longer accepts a marker
  }
  timeline_->settle();
}

void Stream::check_submission(std::string_view name, const char* entry, cl_int code) {
  if (code == kSuccess) return;
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED,
                            std::string(name) + ": " + entry + ": " + describe(code), code,
                            flags_of(code));
}

void Stream::copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) {
  const cl_buffer buffer = context_.memory().device_buffer(to);
  submit("copy to the device", "clEnqueueWriteBuffer", [&](cl_queue queue, cl_event* event) {
    return cl_.clEnqueueWriteBuffer(queue, buffer, kFalse, to.offset_bytes, size_bytes, from, 0,
                                    nullptr, event);
  });
}

void Stream::copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) {
  const cl_buffer buffer = context_.memory().device_buffer(from);
  submit("copy to the host", "clEnqueueReadBuffer", [&](cl_queue queue, cl_event* event) {
    return cl_.clEnqueueReadBuffer(queue, buffer, kFalse, from.offset_bytes, size_bytes, to, 0,
                                   nullptr, event);
  });
}

void Stream::copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) {
  const cl_buffer target = context_.memory().device_buffer(to);
  const cl_buffer source = context_.memory().device_buffer(from);
  submit("copy on the device", "clEnqueueCopyBuffer", [&](cl_queue queue, cl_event* event) {
    return cl_.clEnqueueCopyBuffer(queue, source, target, from.offset_bytes, to.offset_bytes,
                                   size_bytes, 0, nullptr, event);
  });
}

/// Returns an event for all work in the queue. A marker takes as long as a small copy, so it is
/// used only if nothing is pending or the application may have queued work. It is a submission as
/// any other: synchronize waits for it.
EventHandle Stream::mark() {
  if (!is_shared_) {
    if (EventHandle last = timeline_->last_pending(queue_.get())) return last;
  }
  cl_event event = nullptr;
  check(cl_.clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &event),
        "clEnqueueMarkerWithWaitList");
  EventHandle marker(cl_, event);
  timeline_->submitted(retain(cl_, marker), "mark");
  flush();
  return marker;
}

void Stream::record(plugin::Event& event) {
  EventHandle marker = mark();
  static_cast<Event&>(event).set(std::move(marker), {timeline_, timeline_->last()});
}

void Stream::wait_event(plugin::Event& event) {
  auto& awaited = static_cast<Event&>(event);
  const cl_event native = awaited.native();
  if (native == nullptr) return;
  if (&awaited.context() != &context_) {
    // The driver refuses events of another context.
    wait_for(cl_, native, host(), PATCHBAY_NO_DEADLINE);
    awaited.position().check();
    return;
  }
  submit(
      "wait for an event", "clEnqueueBarrierWithWaitList",
      [&](cl_queue queue, cl_event* barrier) {
        return cl_.clEnqueueBarrierWithWaitList(queue, 1, &native, barrier);
      },
      awaited.position());
}

void Stream::flush() { check(cl_.clFlush(queue_.get()), "clFlush"); }

bool Stream::synchronize(std::uint64_t deadline_ns) {
  const std::uint64_t number = timeline_->last();
  // Not clFinish: rusticl's returns too early if the queue was flushed before.
  const EventHandle last = is_shared_ ? mark() : timeline_->last_pending(queue_.get());
  if (last && !wait_for(cl_, last.get(), host(), deadline_ns)) return false;
  timeline_->check(number);
  return true;
}

}  // namespace patchbay::opencl

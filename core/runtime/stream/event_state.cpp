// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/base/status.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {
namespace {

const patchbay_event_table& events(const DeviceState& device) { return device.plugin.tables.event; }

}  // namespace

EventState::EventState(StreamState& stream, bool of_program, std::uint32_t flags)
    : device(stream.device),
      progress(stream.progress),
      sequence(stream.submitted.load()),
      is_counted_(of_program) {
  check_call(device, events(device).create(device.open(), flags, &handle), "Event");
  given(handle, device, "Event", "create of the event table");
  if (is_counted_) device.live_events.fetch_add(1, std::memory_order_relaxed);
}

EventState::~EventState() {
  if (!device.is_callable()) return;
  const output::NoDelivery no_delivery;
  events(device).destroy(handle);
  if (is_counted_) device.live_events.fetch_sub(1, std::memory_order_relaxed);
}

void EventState::check_event(patchbay_status* status, std::string_view operation) {
  if (status != nullptr) [[unlikely]]
    raise_wait_failure(device, *progress, sequence, status, operation);
}

bool EventState::is_done() {
  device.check_home("is_done");
  const output::NoDelivery no_delivery;
  std::uint32_t done = 0;
  check_event(events(device).query(handle, &done), "is_done");
  if (done != 0) progress->pass(sequence);
  return done != 0;
}

void EventState::wait(std::uint64_t deadline_ns, std::string_view operation) {
  device.check_home(operation);
  const output::NoDelivery no_delivery;
  patchbay_status* const status = events(device).wait(handle, deadline_ns);
  check_event(check_timeout(device, status, deadline_ns, operation, "wait of the event table"),
              operation);
  progress->pass(sequence);
}

std::uint64_t EventState::nanoseconds_since(const EventState& earlier) const {
  device.check_home("take_times");
  std::uint64_t nanoseconds = 0;
  base::check(events(device).elapsed(earlier.handle, handle, &nanoseconds), "take_times",
              device.info.name_text);
  if (nanoseconds > static_cast<std::uint64_t>(INT64_MAX)) {
    raise_bad_answer(device, "take_times", fmt::format("elapsed gave {} ns", nanoseconds));
  }
  return nanoseconds;
}

}  // namespace patchbay::runtime

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream_state.h"

#include <algorithm>
#include <utility>

#include "core/runtime/device_state.h"
#include "core/runtime/error.h"
#include "core/runtime/loader.h"
#include "core/runtime/plugin_state.h"

namespace patchbay::runtime {
namespace {

const patchbay_stream_table& streams(const DeviceState& device) {
  return device.plugin.tables.stream;
}
const patchbay_event_table& events(const DeviceState& device) { return device.plugin.tables.event; }

}  // namespace

StreamState::StreamState(DeviceState& owner, std::shared_ptr<DeviceState> keep_alive,
                         patchbay_stream* adopted)
    : device(owner), keep(std::move(keep_alive)), handle(adopted) {
  device.add_stream(*this);
}

StreamState::~StreamState() {
  if (!process_is_ending()) close();
}

void StreamState::close() {
  if (handle == nullptr) return;
  device.remove_stream(*this);
  probe_.reset();
  streams(device).destroy(std::exchange(handle, nullptr));
  note_completed(UINT64_MAX);
}

patchbay_stream* StreamState::open_handle() const {
  if (handle == nullptr) device.raise_gone();
  return handle;
}

std::shared_ptr<StreamState> StreamState::shared() {
  if (keep) return shared_from_this();
  return {device.shared(), this};
}

void StreamState::note_completed(std::uint64_t sequence) {
  std::atomic<std::uint64_t>& completed = progress->completed;
  std::uint64_t known = completed.load(std::memory_order_relaxed);
  while (known < sequence &&
         !completed.compare_exchange_weak(known, sequence, std::memory_order_acq_rel)) {
  }
  completed.notify_all();
}

void StreamState::poll() noexcept {
  const std::scoped_lock probing(probe_mutex_);
  try {
    if (probe_ == nullptr) {
      const std::scoped_lock lock(mutex);
      probe_sequence_ = submitted.load(std::memory_order_acquire);
      if (is_done(probe_sequence_)) return;
      probe_ = record_locked(nullptr);
    }
    if (!probe_->is_done()) return;
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what has failed has ended
  } catch (...) {           // no memory for an event: another time
    return;
  }
  probe_.reset();
  note_completed(probe_sequence_);
}

void StreamState::finish_quietly() noexcept {
  const std::uint64_t target = submitted.load(std::memory_order_acquire);
  try {
    synchronize(PATCHBAY_NO_DEADLINE);
  } catch (...) {
    note_completed(target);
  }
}

void StreamState::synchronize(std::uint64_t deadline_ns) {
  std::uint64_t target = 0;
  {
    // A position is counted just before its submission is made, under the mutex.
    const std::scoped_lock lock(mutex);
    target = submitted.load(std::memory_order_acquire);
  }
  check(streams(device).synchronize(open_handle(), deadline_ns), "synchronize", device.name_text);
  note_completed(target);
}

void StreamState::flush() {
  const std::scoped_lock lock(mutex);
  check(streams(device).flush(open_handle()), "flush", device.name_text);
}

std::shared_ptr<EventState> StreamState::record(std::shared_ptr<DeviceState> keep_alive) {
  const std::scoped_lock lock(mutex);
  return record_locked(std::move(keep_alive));
}

std::shared_ptr<EventState> StreamState::record_locked(std::shared_ptr<DeviceState> keep_alive) {
  auto event = std::make_shared<EventState>(device, std::move(keep_alive));
  check(events(device).record(event->handle, open_handle()), "record", device.name_text);
  return event;
}

void StreamState::wait(EventState& event) {
  if (&event.device.plugin != &device.plugin) {
    // Events do not cross plugins: what is submitted next starts after a wait on the host.
    event.wait(PATCHBAY_NO_DEADLINE);
    return;
  }
  const std::scoped_lock lock(mutex);
  check(streams(device).wait_event(open_handle(), event.handle), "wait", device.name_text);
}

void StreamState::wait_for(StreamState& other, std::uint64_t sequence) {
  if (&other == this || other.is_done(sequence)) return;
  if (&other.device.plugin != &device.plugin) {
    other.synchronize(PATCHBAY_NO_DEADLINE);
    return;
  }
  wait(*other.record(nullptr));
}

EventState::EventState(DeviceState& owner, std::shared_ptr<DeviceState> keep_alive)
    : device(owner), keep(std::move(keep_alive)) {
  check(events(device).create(device.open(), 0, &handle), "Event", device.name_text);
  // Events that the core makes for its own waits hold nothing open.
  if (keep) device.live_events.fetch_add(1, std::memory_order_relaxed);
}

EventState::~EventState() {
  if (process_is_ending()) return;
  events(device).destroy(handle);
  if (keep) device.live_events.fetch_sub(1, std::memory_order_relaxed);
}

bool EventState::is_done() {
  std::uint32_t done = 0;
  check(events(device).query(handle, &done), "is_done", device.name_text);
  return done != 0;
}

void EventState::wait(std::uint64_t deadline_ns) {
  check(events(device).wait(handle, deadline_ns), "wait", device.name_text);
}

}  // namespace patchbay::runtime

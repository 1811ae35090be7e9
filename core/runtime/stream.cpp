// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/stream.h"

#include "core/runtime/device_state.h"
#include "core/runtime/error.h"
#include "core/runtime/host.h"
#include "core/runtime/plugin_state.h"

namespace patchbay {
namespace {

std::shared_ptr<runtime::StreamState> make_stream(const Device& device) {
  runtime::DeviceState& state = device.state();
  patchbay_stream* handle = nullptr;
  runtime::check(state.plugin.tables.stream.create(state.open(), 0, &handle), "Stream",
                 state.name_text);
  return std::make_shared<runtime::StreamState>(state, device.shared_state(), handle);
}

}  // namespace

Stream::Stream(const Device& device) : state_(make_stream(device)) {}

Device Stream::device() const { return Device(state_->device.shared()); }

Event Stream::record() const { return Event(state_->record(state_->device.shared())); }

void Stream::wait(const Event& event) const { state_->wait(event.state()); }

void Stream::flush() const { state_->flush(); }

void Stream::synchronize(std::chrono::nanoseconds timeout) const {
  state_->synchronize(runtime::deadline_after(timeout.count()));
}

Device Event::device() const { return Device(state_->device.shared()); }

bool Event::is_done() const { return state_->is_done(); }

void Event::wait(std::chrono::nanoseconds timeout) const {
  state_->wait(runtime::deadline_after(timeout.count()));
}

}  // namespace patchbay

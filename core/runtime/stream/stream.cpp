// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/stream.h"

#include <new>
#include <optional>
#include <utility>

#include "core/base/cancellation.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/status.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/runtime/stream/stream_trace.h"

namespace patchbay {
namespace {

using runtime::check_no_callback;
using runtime::check_not_recording;

std::uint32_t flags_of(const StreamOptions& options) {
  const std::uint32_t times = options.times ? PATCHBAY_STREAM_TIMES : 0;
  switch (options.priority) {
    case StreamPriority::kLow: return times | PATCHBAY_STREAM_LOW;
    case StreamPriority::kNormal: return times;
    case StreamPriority::kHigh: return times | PATCHBAY_STREAM_HIGH;
  }
  base::raise_not_in_enum("Stream", "priority", "StreamPriority", options.priority);
}

std::shared_ptr<runtime::StreamState> make_stream(const Device& device,
                                                  const StreamOptions& options) {
  check_no_callback("Stream");
  runtime::DeviceState& state = device.state();
  const auto call = state.enter("Stream");
  patchbay_stream* handle = nullptr;
  const std::uint32_t flags = state.stream_flags(flags_of(options));
  runtime::check_call(
      state, state.plugin.tables.stream.create(state.open("Stream"), flags, &handle), "Stream");
  runtime::StreamHandle owned = runtime::own_stream(state, handle, "Stream");
  std::shared_ptr<runtime::StreamState> stream(
      new runtime::StreamState(state, device.shared_state(), std::move(owned), flags),
      runtime::DeleteOutsideCallbacks());
  if (!options.times) stream->drop_times();
  state.add_stream(*stream);
  return stream;
}

/// A callback of the application, with what its error needs.
struct Callback {
  StreamCallback call;
  runtime::DeviceState& device;
  std::shared_ptr<runtime::StreamProgress> progress;
  std::uint64_t sequence;
  Error no_memory;  // the error to report if there is no memory for another

  /// Owns the status, which may be null.
  void run(patchbay_status* status) const noexcept;

 private:
  std::optional<Error> error_of(patchbay_status* status) const;
};

/// Nothing if the work before the callback succeeded.
std::optional<Error> Callback::error_of(patchbay_status* status) const {
  if (status == nullptr) return std::nullopt;
  base::StatusHolder held(status);
  try {
    if (!runtime::is_fault(*status)) {  // the stream goes on
      base::raise_status(held.release(), "add_callback", device.info.name_text);
    }
    const runtime::FaultPtr fault = progress->fail(*status, sequence);
    if (fault->loses_device()) device.lose(fault);
    return runtime::stream_error(*fault, "add_callback");
  } catch (const Error& raised) {
    return raised;
  } catch (const std::bad_alloc&) {
    return no_memory;
  }
}

void Callback::run(patchbay_status* status) const noexcept {
  try {
    const std::optional<Error> error = error_of(status);
    try {
      call(error ? &*error : nullptr);
    } catch (const std::exception& thrown) {
      device.runtime.logger.log(LogLevel::kError,
                                "[add_callback] a stream's callback threw an exception: {}",
                                base::one_line(thrown.what()));
    }
  } catch (...) {  // an unknown type, or no memory for the text
    device.runtime.logger.write(LogLevel::kError,
                                "[add_callback] a stream's callback threw an exception");
  }
}

}  // namespace

Stream::Stream(const Device& device, const StreamOptions& options)
    : state_(make_stream(device, options)) {}

Device Stream::device() const { return Device(state_->device.shared()); }

Event Stream::record() const {
  check_no_callback("record");
  check_not_recording("record");
  const auto call = state_->device.enter("record");
  return Event(state_->record(state_->device.shared()));
}

void Stream::wait(const Event& event) const {
  check_no_callback("wait");
  check_not_recording("wait");
  const auto call = state_->device.enter("wait");
  state_->wait(event.state_);
}

void Stream::flush() const {
  check_no_callback("flush");
  const auto call = state_->device.enter("flush");
  state_->flush();
}

void Stream::synchronize(std::chrono::nanoseconds timeout) const {
  check_no_callback("synchronize");
  check_not_recording("synchronize");
  const auto call = state_->device.enter("synchronize");
  state_->synchronize(base::deadline_after(timeout.count()));
  base::end_if_cancelled();
}

void Stream::add_callback(StreamCallback callback) const {
  check_no_callback("add_callback");
  check_not_recording("add_callback");
  if (!callback) {
    base::raise(ErrorCode::kInvalidArgument,
                "[add_callback] an empty function: expected one to call ({}).",
                state_->device.info.name_text);
  }
  const auto call = state_->device.enter("add_callback");
  auto held = std::make_shared<const Callback>(
      Callback{std::move(callback),
               state_->device,
               state_->progress,
               state_->submitted.load(),
               {ErrorCode::kOutOfMemory, "[add_callback] no memory is left on the host."}});
  state_->add_callback([waiting = std::move(held)](patchbay_status* status) mutable {
    const runtime::CallbackMark mark;  // until the captures are destroyed
    const auto self = std::move(waiting);
    self->run(status);
  });
}

std::vector<SubmissionTime> Stream::take_times() const {
  check_no_callback("take_times");
  if (state_->times == nullptr) {
    base::raise(ErrorCode::kUnsupported,
                "[take_times] the stream was made without times ({}). Make it with "
                "Stream(device, {{.times = true}}).",
                state_->device.info.name_text);
  }
  return state_->times->take();
}

void Stream::reset() const {
  check_no_callback("reset");
  check_not_recording("reset");
  const auto call = state_->device.enter("reset");
  state_->reset();
}

Device Event::device() const { return Device(state_->device.shared()); }

bool Event::is_done() const {
  check_no_callback("is_done");
  return state_->is_done();
}

void Event::wait(std::chrono::nanoseconds timeout) const {
  check_no_callback("wait");
  check_not_recording("wait");
  state_->wait(base::deadline_after(timeout.count()));
  base::end_if_cancelled();
}

Stream Device::default_stream() const {
  state().open("default_stream");
  return Stream(std::shared_ptr<runtime::StreamState>(shared_state(), state().default_stream));
}

void Device::synchronize(std::chrono::nanoseconds timeout) const {
  check_no_callback("synchronize");
  check_not_recording("synchronize");
  const std::uint64_t deadline = base::deadline_after(timeout.count());
  const auto call = state().enter("synchronize");
  state().open("synchronize");
  state().synchronize(deadline);
  base::end_if_cancelled();
}

}  // namespace patchbay

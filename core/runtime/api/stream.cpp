// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/stream.h"

#include <new>
#include <optional>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/status.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/runtime/stream/stream_times.h"

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
  runtime::raise(ErrorCode::kInvalidArgument,
                 "[Stream] priority {}: expected StreamPriority::kLow, kNormal or kHigh.",
                 static_cast<int>(options.priority));
}

std::shared_ptr<runtime::StreamState> make_stream(const Device& device,
                                                  const StreamOptions& options) {
  check_no_callback("Stream");
  runtime::DeviceState& state = device.state();
  patchbay_stream* handle = nullptr;
  const std::uint32_t flags = state.stream_flags(flags_of(options));
  runtime::check(state.plugin.tables.stream.create(state.open("Stream"), flags, &handle), "Stream",
                 state.info.name_text);
  runtime::StreamHandle owned = runtime::own_stream(state, handle, "Stream");
  std::shared_ptr<runtime::StreamState> stream(
      new runtime::StreamState(state, device.shared_state(), std::move(owned), flags),
      runtime::DeleteOutsideCallbacks());
  if (!options.times) stream->drop_times();
  state.add_stream(*stream);
  return stream;
}

/// A pending callback. The plugin calls `run` once.
struct Callback {
  StreamCallback call;
  runtime::DeviceState& device;
  std::shared_ptr<runtime::StreamProgress> progress;
  std::uint64_t sequence;
  Error no_memory;  // the error to report if there is no memory for another

  static void run(void* user, patchbay_status* status);
  void tell(patchbay_status* status) const;
};

void Callback::tell(patchbay_status* status) const {
  if (status == nullptr) return call(nullptr);
  runtime::StatusHolder held(status);
  std::optional<Error> error;
  try {
    if (!runtime::is_fault(*status)) {  // the stream goes on
      try {
        runtime::raise_status(held.release(), "add_callback", device.info.name_text);
      } catch (const Error& raised) {
        error = raised;
      }
      return call(&*error);
    }
    const runtime::FaultPtr fault = progress->fail(*status, sequence);
    if (fault->loses_device()) device.lose(fault);
    error = runtime::stream_error(*fault, "add_callback");
  } catch (const std::bad_alloc&) {
    error = no_memory;
  }
  call(&*error);
}

/// What the plugin gets. It calls `run` once, or returns a failure: one that does both would
/// otherwise free it twice.
struct Pending {
  explicit Pending(std::shared_ptr<Callback> waiting) : callback(std::move(waiting)) {}

  void drop() {
    if (num_owners.fetch_sub(1) == 1) delete this;
  }

  std::shared_ptr<Callback> callback;
  std::atomic<bool> was_run{false};
  std::atomic<int> num_owners{2};  // the plugin and add_callback
};

void Callback::run(void* user, patchbay_status* status) {
  const runtime::CallbackMark mark;  // until the captures are destroyed
  auto* const pending = static_cast<Pending*>(user);
  if (pending->was_run.exchange(true)) return runtime::release_status(status);
  const std::shared_ptr<Callback> self = std::move(pending->callback);
  pending->drop();
  try {
    try {
      self->tell(status);
    } catch (const std::exception& error) {
      self->device.runtime.logger.log(LogLevel::kError,
                                      "[add_callback] a stream's callback threw an exception: {}",
                                      runtime::one_line(error.what()));
    }
  } catch (...) {  // an unknown type, or no memory for the text
    self->device.runtime.logger.write(LogLevel::kError,
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
  return Event(state_->record(state_->device.shared()));
}

void Stream::wait(const Event& event) const {
  check_no_callback("wait");
  check_not_recording("wait");
  state_->wait(event.state_);
}

void Stream::flush() const {
  check_no_callback("flush");
  state_->flush();
}

void Stream::synchronize(std::chrono::nanoseconds timeout) const {
  check_no_callback("synchronize");
  check_not_recording("synchronize");
  state_->synchronize(runtime::deadline_after(timeout.count()));
}

void Stream::add_callback(StreamCallback callback) const {
  check_no_callback("add_callback");
  check_not_recording("add_callback");
  if (!callback) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[add_callback] an empty function: expected one to call ({}).",
                   state_->device.info.name_text);
  }
  // Keeps the captures alive until the stream's lock is released, even if the call runs at once.
  const auto waiting = std::make_shared<Callback>(
      Callback{std::move(callback),
               state_->device,
               state_->progress,
               state_->submitted.load(),
               {ErrorCode::kOutOfMemory, "[add_callback] no memory is left on the host."}});
  auto* const pending = new Pending(waiting);
  const std::unique_ptr<Pending, void (*)(Pending*)> own(pending,
                                                         [](Pending* one) { one->drop(); });
  try {
    state_->add_callback(Callback::run, pending);
  } catch (...) {
    if (!pending->was_run.exchange(true)) pending->drop();  // the plugin has not taken it
    throw;
  }
}

std::vector<SubmissionTime> Stream::take_times() const {
  check_no_callback("take_times");
  if (state_->times == nullptr) {
    runtime::raise(ErrorCode::kUnsupported,
                   "[take_times] the stream was made without times ({}). Make it with "
                   "Stream(device, {{.times = true}}).",
                   state_->device.info.name_text);
  }
  return state_->times->take();
}

void Stream::reset() const {
  check_no_callback("reset");
  check_not_recording("reset");
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
  state_->wait(runtime::deadline_after(timeout.count()));
}

}  // namespace patchbay

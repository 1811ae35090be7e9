// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Streams and events.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_STREAM_STATE_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_STREAM_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "patchbay/plugin/abi.h"

#include "core/output/delivery.h"
#include "core/runtime/plugin/pending_call.h"
#include "core/runtime/stream/position.h"
#include "core/runtime/trace/profiler.h"
#include "core/runtime/trace/trace_span.h"

namespace patchbay::runtime {

class CallbackThread;
class StreamTimes;
class StreamTrace;
struct DeviceState;
struct EventState;

/// A plugin's stream that no StreamState has adopted yet.
using StreamHandle = std::unique_ptr<patchbay_stream, void (*)(patchbay_stream*)>;
/// Wraps the result of a successful `create`. Errors: kPluginFailed if it is null.
StreamHandle own_stream(const DeviceState& device, patchbay_stream* made,
                        std::string_view operation, std::string_view entry = "create");

/// An in-order queue. Submissions hold `mutex`, unless the stream completes inline.
struct StreamState final : Queue, std::enable_shared_from_this<StreamState> {
  /// Adopts `handle`, created with `flags`. `keep` is null for a device's own default stream. The
  /// caller then calls DeviceState::add_stream, from where others may take handles.
  StreamState(DeviceState& device, std::shared_ptr<DeviceState> keep, StreamHandle handle,
              std::uint32_t flags = 0);
  ~StreamState() override;
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  /// Ends a default stream with its device: waits for its work, then releases the handle. The
  /// object stays, and reports all positions as done.
  void close();
  /// Ends a lent stream with its last handle, while other threads may wait for work that
  /// memory remembers.
  void end_lent() noexcept;

  /// Makes one submission: calls note(position), before it so that no use is missed, then
  /// entry(handle). With the setting `sync`, waits for it. The caller holds no stream's mutex.
  /// Errors: an earlier failure; what entry reports.
  template <class Note, class Entry>
  void submit(const Submission& what, Note&& note, Entry&& entry) {
    check_home(what.name);
    settle_foreign_waits(PATCHBAY_NO_DEADLINE, what.name);
    const TraceSpan span(what.is_copy ? nullptr : spans(), what.name);
    {
      const std::scoped_lock lock(mutex);
      const std::uint64_t sequence = begin(what);
      note(sequence);
      end(what, entry(handle));
    }
    finish_if_synchronous(what.name);
  }

  /// Errors: a known failure that was not followed by `reset`.
  void check_not_failed(std::string_view operation) const;
  /// Errors: kDeviceLost in a forked process.
  void check_home(std::string_view operation) const;
  /// Blocks until work submitted before the call is done. Error: kUnknownDevice if closed.
  void synchronize(std::uint64_t deadline_ns, std::string_view operation = "synchronize");
  void flush();
  /// Records an event. `keep` is set for the user's events, which keep the device, null for the
  /// core's.
  std::shared_ptr<EventState> record(std::shared_ptr<DeviceState> keep);
  /// Makes later work of this stream start after `event`.
  void wait(const std::shared_ptr<EventState>& event, std::string_view operation = "wait");
  /// Makes later work of this stream start after position `sequence` of `other`. The caller holds
  /// no stream's mutex: two streams may wait for each other at once.
  void wait_for(Queue& other, std::uint64_t sequence, std::string_view operation = "wait");
  /// Whether wait_for needs no wait on the host.
  bool can_wait_for(Queue& other) noexcept;
  /// An event after all submitted work; null if the position is done.
  std::shared_ptr<EventState> record_unless_done(std::uint64_t sequence, std::string_view operation,
                                                 std::shared_ptr<DeviceState> keep = nullptr);
  /// Adds a callback in the plugin or, if it has none, in a thread. It is called once, at the
  /// latest by the end of the stream, with an error if the plugin has not made the call by then.
  void add_callback(PendingCall::Body body);
  /// Drops the times of a stream that measures them only for the trace.
  void drop_times() noexcept;
  /// Gives a failed stream a new queue.
  void reset();
  /// Writes work that is known to have ended to the trace and to profiles.
  void write_trace() noexcept;
  /// Whether a trace or a profile wants the times of submissions.
  bool is_traced() const noexcept;
  /// Null if nothing wants spans.
  const SpanTargets* spans() const noexcept;
  /// Null if the runtime writes no trace.
  Tracer* tracer() const noexcept;

  StreamState* as_stream() noexcept override { return this; }
  void wait_on_host(std::uint64_t sequence, std::string_view operation,
                    std::uint64_t deadline_ns) override;
  void poll() noexcept override;
  void finish_quietly() noexcept override;
  /// Waits for the events of other plugins that the next submission would wait for, and drops them.
  /// Keeps one that failed.
  void finish_foreign_waits() noexcept;
  /// A handle that keeps the stream, or, for a default stream, its device.
  std::shared_ptr<StreamState> shared();
  /// Expires with the stream, for what must keep neither it nor its device's entry.
  std::weak_ptr<Queue> weak();
  /// The plugin's object. Error: kUnknownDevice if closed.
  patchbay_stream* open_handle() const;
  /// Records an event of the core's; the caller holds the mutex.
  std::shared_ptr<EventState> record_locked(std::string_view operation,
                                            std::uint32_t event_flags = 0) {
    return record_for(nullptr, operation, event_flags);
  }

  DeviceState& device;
  const std::shared_ptr<DeviceState> keep;
  std::uint32_t flags;  // changes under the mutex
  const bool completes_inline;
  const std::uint32_t number;           // in traces; 0: the default stream
  bool is_lent = false;                 // the application's own stream
  std::atomic<bool> is_exposed{false};  // the application has the native handle
  patchbay_stream* handle = nullptr;    // null once closed; changes under the mutex
  output::NoDeliveryMutex mutex;
  std::atomic<std::uint64_t> submitted{0};
  std::unique_ptr<StreamTimes> times;  // null if not measured

 private:
  /// Takes the position of the next submission. If that fails, the position stays empty.
  std::uint64_t begin(const Submission& what);
  void end(const Submission& what, patchbay_status* status);
  void begin_trace(const Submission& what);
  void replace_by_timed(std::string_view operation);
  void finish_if_synchronous(std::string_view operation);
  void settle_foreign_waits(std::uint64_t deadline_ns, std::string_view operation);
  std::shared_ptr<EventState> record_for(std::shared_ptr<DeviceState> keep,
                                         std::string_view operation, std::uint32_t event_flags = 0);
  void check_wait(patchbay_status* status, std::uint64_t target, std::string_view operation);

  bool is_closed();
  /// Tells the callbacks that the plugin has not called by the end of the stream.
  void end_callbacks() noexcept;
  /// Waits for the work, ignoring failures. False if the driver does not wait and the work may go
  /// on: a status that is no fault, such as a lack of memory, does not say that it has ended.
  bool try_to_finish(std::uint64_t target) noexcept;

  /// A wait in the driver, without the mutex.
  class DriverWait;

  output::NoDeliveryMutex probe_mutex_;
  std::shared_ptr<EventState> probe_;  // recorded by the last `poll`; null if done
  std::uint64_t probe_sequence_ = 0;
  std::vector<patchbay_stream*> retired_;  // failed queues that others may still wait for
  std::vector<std::shared_ptr<EventState>> foreign_waits_;  // under the mutex
  std::atomic<bool> has_foreign_waits_{false};
  std::unique_ptr<CallbackThread> callbacks_;
  // Null without times; set under the mutex.
  std::unique_ptr<StreamTrace> own_trace_;
  std::atomic<StreamTrace*> trace_{nullptr};
  bool may_be_replaced_ = true;  // under the mutex; false if the driver refused another queue
  std::atomic<int> num_driver_waits_{0};
};

struct EventState : std::enable_shared_from_this<EventState> {
  /// `of_program`: the program holds it, and `unload` counts it. The core's own keep nothing open.
  EventState(StreamState& stream, bool of_program, std::uint32_t flags);
  ~EventState();
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  bool is_done();
  void wait(std::uint64_t deadline_ns, std::string_view operation = "wait");
  /// The time between two finished events with times.
  std::uint64_t nanoseconds_since(const EventState& earlier) const;

  DeviceState& device;
  const std::shared_ptr<StreamProgress> progress;  // of the stream that recorded it
  const std::uint64_t sequence;
  patchbay_event* handle = nullptr;

 private:
  void check_event(patchbay_status* status, std::string_view operation);

  const bool is_counted_;
};

/// Returns the status of a wait. `entry` is the plugin's function. Errors: kPluginFailed if it
/// timed out without a deadline.
patchbay_status* check_timeout(const DeviceState& device, patchbay_status* status,
                               std::uint64_t deadline_ns, std::string_view operation,
                               const char* entry);

/// Throws the Error for a failed wait for work up to `target`, whose failure it may be the first to
/// report.
[[noreturn]] void raise_wait_failure(DeviceState& device, StreamProgress& progress,
                                     std::uint64_t target, patchbay_status* status,
                                     std::string_view operation);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_STREAM_STATE_H_

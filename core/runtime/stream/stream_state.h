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

#include "core/runtime/stream/position.h"
#include "core/runtime/trace/tracer.h"

namespace patchbay::runtime {

class CallbackThread;
class StreamTimes;
class StreamTrace;
struct DeviceState;
struct EventState;

/// A launch or copy, as messages and times know it.
struct Submission {
  std::string_view name;
  bool is_copy = false;
  std::uint64_t size_bytes = 0;  // of a copy
};

/// A plugin's stream that nobody has adopted yet.
using StreamHandle = std::unique_ptr<patchbay_stream, void (*)(patchbay_stream*)>;
/// Of what `create` gave with success. Errors: kPluginFailed if that is null.
StreamHandle own_stream(const DeviceState& device, patchbay_stream* made,
                        std::string_view operation, std::string_view entry = "create");

/// An in-order queue. Submissions hold `mutex`, unless the stream completes inline.
struct StreamState final : Queue, std::enable_shared_from_this<StreamState> {
  /// Adopts `handle`, which was created with `flags`. `keep` is null for a device's own default
  /// stream. The maker then calls DeviceState::add_stream: those who find the stream there take
  /// handles of it.
  StreamState(DeviceState& device, std::shared_ptr<DeviceState> keep, StreamHandle handle,
              std::uint32_t flags = 0);
  ~StreamState() override;
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  /// Ends a default stream with its device: waits for what is submitted, then gives up the handle.
  /// The object stays for those who look up whether their position is done, which it now is.
  void close();

  /// One submission: calls note(position), so that no use goes unknown, then entry(handle). With
  /// the setting `sync` it is done when the call returns. No mutex of a stream is held.
  /// Errors: that of an earlier failure; what entry reports.
  template <class Note, class Entry>
  void submit(const Submission& what, Note&& note, Entry&& entry) {
    check_home(what.name);
    settle_foreign_waits(PATCHBAY_NO_DEADLINE, what.name);
    const TraceSpan span(what.is_copy ? nullptr : tracer(), what.name);
    {
      const std::scoped_lock lock(mutex);
      const std::uint64_t sequence = begin(what);
      note(sequence);
      end(what, entry(handle));
    }
    finish_if_synchronous(what.name);
  }

  /// Errors: a failure that is known and was not followed by `reset`.
  void check_not_failed(std::string_view operation) const;
  /// Errors: kDeviceLost in a forked process.
  void check_home(std::string_view operation) const;
  /// Blocks until what was submitted before the call is done. Error: kUnknownDevice, if closed.
  void synchronize(std::uint64_t deadline_ns, std::string_view operation = "synchronize");
  void flush();
  /// With `keep` for an event of the user's, without for one of the core's.
  std::shared_ptr<EventState> record(std::shared_ptr<DeviceState> keep);
  /// Later work of this stream starts after `event`.
  void wait(const std::shared_ptr<EventState>& event);
  /// Later work of this stream starts after position `sequence` of `other`. The caller holds no
  /// stream's mutex: two streams may wait for each other at once.
  void wait_for(Queue& other, std::uint64_t sequence, std::string_view operation = "wait");
  /// Whether that takes no wait on the host.
  bool can_wait_for(Queue& other) noexcept;
  /// The plugin's, or what stands in for it; `call` owns the status.
  void add_callback(void (*call)(void* user, patchbay_status*), void* user);
  /// For a stream whose times are only the trace's.
  void drop_times() noexcept;
  /// Gives a stream that failed a new queue.
  void reset();
  /// Writes to the trace what is known to have ended.
  void write_trace() noexcept;
  /// Null if the runtime writes no trace.
  Tracer* tracer() const noexcept;

  StreamState* as_stream() noexcept override { return this; }
  void wait_on_host(std::uint64_t sequence, std::string_view operation) override;
  void poll() noexcept override;
  void finish_quietly() noexcept override;
  /// A handle that keeps the stream, or, for a default stream, its device.
  std::shared_ptr<StreamState> shared();
  /// The plugin's object. Error: kUnknownDevice, if closed.
  patchbay_stream* open_handle() const;
  /// An event where the stream is now; the caller holds the mutex.
  std::shared_ptr<EventState> record_locked(std::shared_ptr<DeviceState> keep,
                                            std::uint32_t flags = 0);

  DeviceState& device;
  const std::shared_ptr<DeviceState> keep;
  const std::uint32_t flags;
  const bool completes_inline;
  const std::uint32_t number;           // in traces; 0: the device's default stream
  bool is_lent = false;                 // the application's own
  std::atomic<bool> is_exposed{false};  // it has the native handle
  patchbay_stream* handle = nullptr;    // null once closed; changes under the mutex
  std::mutex mutex;
  std::atomic<std::uint64_t> submitted{0};
  std::unique_ptr<StreamTimes> times;  // null if not asked for

 private:
  /// The position of the submission that is about to be made. One that fails leaves it empty.
  std::uint64_t begin(const Submission& what);
  void end(const Submission& what, patchbay_status* status);
  void finish_if_synchronous(std::string_view operation);
  void settle_foreign_waits(std::uint64_t deadline_ns, std::string_view operation);
  void check_wait(patchbay_status* status, std::uint64_t target, std::string_view operation);

  std::mutex probe_mutex_;
  std::shared_ptr<EventState> probe_;  // where `poll` looked last; null if that is done
  std::uint64_t probe_sequence_ = 0;
  std::vector<patchbay_stream*> retired_;  // failed ones, which others may still be waiting for
  std::vector<std::shared_ptr<EventState>> foreign_waits_;  // under the mutex
  std::atomic<bool> has_foreign_waits_{false};
  std::unique_ptr<CallbackThread> callbacks_;
  std::unique_ptr<StreamTrace> trace_;  // null without times
};

struct EventState {
  EventState(StreamState& stream, std::shared_ptr<DeviceState> keep, std::uint32_t flags);
  ~EventState();
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  bool is_done();
  void wait(std::uint64_t deadline_ns, std::string_view operation = "wait");
  /// Between two events with times that are done.
  std::uint64_t nanoseconds_since(const EventState& earlier) const;

  DeviceState& device;
  const std::shared_ptr<DeviceState> keep;
  const std::shared_ptr<StreamProgress> progress;  // of the stream that it is recorded on
  const std::uint64_t sequence;
  patchbay_event* handle = nullptr;

 private:
  void check_event(patchbay_status* status, std::string_view operation);
};

/// The Error for a failed wait on work up to `target`, which it may turn out to be the first to
/// report.
[[noreturn]] void raise_wait_failure(DeviceState& device, StreamProgress& progress,
                                     std::uint64_t target, patchbay_status* status,
                                     std::string_view operation);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_STREAM_STATE_H_

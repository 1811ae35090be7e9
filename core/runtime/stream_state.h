// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Streams and events.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_STATE_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "patchbay/plugin/abi.h"

#include "core/runtime/position.h"

namespace patchbay::runtime {

struct DeviceState;
struct EventState;

/// An in-order queue. Submissions hold `mutex`, unless the device completes inline.
struct StreamState : std::enable_shared_from_this<StreamState> {
  /// Adopts `handle`. `keep` is null for a device's own default stream.
  StreamState(DeviceState& device, std::shared_ptr<DeviceState> keep, patchbay_stream* handle);
  ~StreamState();
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  /// Ends a default stream with its device: waits for what is submitted, then gives up the handle.
  /// The object stays for those who look up whether their position is done, which it now is.
  void close();

  /// Blocks until what was submitted before the call is done. Error: kUnknownDevice, if closed.
  void synchronize(std::uint64_t deadline_ns);
  void flush();
  /// With `keep` for an event of the user's, without for one of the core's.
  std::shared_ptr<EventState> record(std::shared_ptr<DeviceState> keep);
  /// Later work of this stream starts after `event`.
  void wait(EventState& event);
  /// Later work of this stream starts after position `sequence` of `other`. The caller holds no
  /// stream's mutex: two streams may wait for each other at once.
  void wait_for(StreamState& other, std::uint64_t sequence);

  bool is_done(std::uint64_t sequence) const { return progress->has_passed(sequence); }
  /// Learns how far the stream has come, without waiting.
  void poll() noexcept;
  /// Waits for all that was submitted; what failed has ended too.
  void finish_quietly() noexcept;
  /// A handle that keeps the stream, or, for a default stream, its device.
  std::shared_ptr<StreamState> shared();
  /// The position of the submission that the caller, who holds the mutex, is about to make. One
  /// that fails leaves its position empty.
  std::uint64_t advance() { return submitted.fetch_add(1, std::memory_order_acq_rel) + 1; }
  void note_completed(std::uint64_t sequence);
  /// The plugin's object. Error: kUnknownDevice, if closed.
  patchbay_stream* open_handle() const;

  DeviceState& device;
  const std::shared_ptr<DeviceState> keep;
  patchbay_stream* handle = nullptr;  // null once closed
  std::mutex mutex;
  std::atomic<std::uint64_t> submitted{0};
  const std::shared_ptr<StreamProgress> progress = std::make_shared<StreamProgress>();

 private:
  std::shared_ptr<EventState> record_locked(std::shared_ptr<DeviceState> keep);

  std::mutex probe_mutex_;
  std::shared_ptr<EventState> probe_;  // where `poll` looked last; null if that is done
  std::uint64_t probe_sequence_ = 0;
};

struct EventState {
  EventState(DeviceState& device, std::shared_ptr<DeviceState> keep);
  ~EventState();
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  bool is_done();
  void wait(std::uint64_t deadline_ns);

  DeviceState& device;
  const std::shared_ptr<DeviceState> keep;
  patchbay_event* handle = nullptr;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_STATE_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which stream a thread's operations use, and whether it may call the runtime at all.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_STREAM_SCOPE_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_STREAM_SCOPE_H_

#include <memory>
#include <string_view>
#include <utility>

#include "core/base/cancellation.h"
#include "core/base/quiet_thread.h"
#include "core/output/delivery.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {

class Recorder;

/// The streams selected by a thread's scopes, innermost first.
struct ScopedStream {
  std::shared_ptr<StreamState> stream;  // null: a recording begins here
  std::shared_ptr<const ScopedStream> outer;
  Recorder* recorder = nullptr;
  bool is_pause = false;  // recordings around it are paused
};

/// This thread's scopes, null, or the mark for 'in a callback'. A single pointer, because each
/// operation reads it.
extern constinit thread_local const ScopedStream* scoped_streams;

/// Sets this thread's streams and returns the previous ones.
std::shared_ptr<const ScopedStream> exchange_streams(std::shared_ptr<const ScopedStream> streams);

/// The innermost scope's stream of the device, else its default stream.
StreamState& find_scoped_stream(DeviceState& device, std::string_view operation);

/// The stream for operations on the device's tensors. The device is open.
/// Errors: kInvalidArgument in a stream's callback, which may not call the runtime; kDeviceLost in
/// a forked process.
inline StreamState& current_stream(DeviceState& device, std::string_view operation) {
  device.check_home(operation);
  if (scoped_streams == nullptr) return *device.default_stream;
  return find_scoped_stream(device, operation);
}

/// Errors: kInvalidArgument in a stream's callback.
[[noreturn]] void raise_in_callback(std::string_view operation);
extern const ScopedStream kInCallback;
inline void check_no_callback(std::string_view operation) {
  if (scoped_streams == &kInCallback) [[unlikely]]
    raise_in_callback(operation);
}

/// Errors: kInvalidArgument while this thread records a graph, which runs nothing.
void check_not_recording_slowly(std::string_view operation);
inline void check_not_recording(std::string_view operation) {
  if (scoped_streams != nullptr) [[unlikely]]
    check_not_recording_slowly(operation);
}

/// Null unless this thread records.
Recorder* find_recorder(bool also_paused = false);
inline Recorder* current_recorder() {
  if (scoped_streams == nullptr) [[likely]]
    return nullptr;
  return find_recorder();
}

/// Marks this thread as one that runs a stream's callback.
class CallbackMark {
 public:
  CallbackMark() : previous_(scoped_streams) { scoped_streams = &kInCallback; }
  ~CallbackMark() { scoped_streams = previous_; }
  CallbackMark(const CallbackMark&) = delete;
  CallbackMark& operator=(const CallbackMark&) = delete;

 private:
  const output::ServiceThread service_;
  const ScopedStream* previous_;
};

inline bool is_here(const StreamState& stream) { return stream.device.home.is_here(); }
template <class T>
bool is_here(const T& object) {
  return object.home.is_here();
}

/// Calls body(), which waits for callbacks: in a callback, on another thread a moment later.
template <class Body>
void run_outside_callbacks(Body body) noexcept {
  const base::CancellationOff not_cancelled;
  if (scoped_streams != &kInCallback) return body();
  try {
    base::start_quiet_thread("Stream", std::move(body)).detach();
  } catch (...) {  // NOLINT(bugprone-empty-catch): without a thread the object stays
  }
}

/// A deleter for objects whose destructor waits for callbacks: a callback may hold the last handle.
/// Deletes nothing in a forked process.
struct DeleteOutsideCallbacks {
  template <class T>
  void operator()(T* object) const noexcept {
    if (is_here(*object)) run_outside_callbacks([object] { delete object; });
  }
};

/// The deleter of the application's handles to a lent stream, which ends with the last of them.
/// Memory that was used on it may keep the object longer.
struct EndLent {
  std::shared_ptr<StreamState> stream;

  void operator()(StreamState*) noexcept {
    run_outside_callbacks([ending = std::move(stream)] { ending->end_lent(); });
  }
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_STREAM_SCOPE_H_

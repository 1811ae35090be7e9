// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which stream a thread's operations go to, and whether it may call the runtime at all.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_STREAM_SCOPE_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_STREAM_SCOPE_H_

#include <memory>
#include <string_view>

#include "core/base/quiet_thread.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {

class Recorder;

/// The streams chosen by the scopes of a thread, innermost first.
struct ScopedStream {
  std::shared_ptr<StreamState> stream;  // null: a recording begins here
  std::shared_ptr<const ScopedStream> outer;
  Recorder* recorder = nullptr;
};

/// Null, or those of this thread, or what stands for 'in a callback': one word, for each operation
/// looks at it.
extern constinit thread_local const ScopedStream* scoped_streams;

/// Sets this thread's streams and gives those before.
std::shared_ptr<const ScopedStream> exchange_streams(std::shared_ptr<const ScopedStream> streams);

/// The innermost scope's stream of the device, else its default stream.
StreamState& find_scoped_stream(DeviceState& device, std::string_view operation);

/// The stream that operations on the device's tensors go to. The device is open.
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

/// Errors: kInvalidArgument while this thread records a graph, which does no work.
void check_not_recording_slowly(std::string_view operation);
inline void check_not_recording(std::string_view operation) {
  if (scoped_streams != nullptr) [[unlikely]]
    check_not_recording_slowly(operation);
}

/// Null unless this thread records.
Recorder* find_recorder();
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
  const ScopedStream* previous_;
};

inline bool is_here(const StreamState& stream) { return stream.device.home.is_here(); }
template <class T>
bool is_here(const T& object) {
  return object.home.is_here();
}

/// For what waits for callbacks when it goes: the last handle may be one that a callback held. In a
/// forked process the object stays.
struct DeleteOutsideCallbacks {
  template <class T>
  void operator()(T* object) const noexcept {
    if (!is_here(*object)) return;
    if (scoped_streams != &kInCallback) {
      delete object;
      return;
    }
    try {
      start_quiet_thread("Stream", [object] { delete object; }).detach();
    } catch (...) {  // NOLINT(bugprone-empty-catch): no thread to be had, so it stays
    }
  }
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_STREAM_SCOPE_H_

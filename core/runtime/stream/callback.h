// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Calls the program when a stream reaches a point.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_CALLBACK_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_CALLBACK_H_

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "core/base/quiet_thread.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {

/// For plugins without callbacks: a thread that waits for events and makes the calls of one stream,
/// in order. It sleeps when there is nothing to wait for.
class CallbackThread {
 public:
  CallbackThread() : thread_(base::start_quiet_thread("add_callback", [this] { run(); })) {}
  /// Waits for the last call to return.
  ~CallbackThread();

  /// Makes the pending call of `user` when the event is done.
  void add(std::shared_ptr<EventState> event, void* user);

 private:
  struct Pending {
    std::shared_ptr<EventState> event;
    void* user;
  };
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Pending> pending_;
  bool stopping_ = false;
  std::thread thread_;  // last, because it uses the others
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_CALLBACK_H_

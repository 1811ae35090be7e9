// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Calls host functions when a stream has reached a position.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_CALLBACKS_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_CALLBACKS_HPP_

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "patchbay/plugin/kit/objects.hpp"

#include "cuda-cublas/device/handle.hpp"

namespace patchbay::cuda {

/// A thread that waits for events. The driver's own host functions delay later work on the stream,
/// and are not called if earlier work failed.
class Callbacks {
 public:
  explicit Callbacks(Context& context) : context_(context), thread_([this] { run(); }) {}
  /// Waits until all calls have returned.
  ~Callbacks();

  /// Makes the call when the event is done, with the status of its work.
  void add(EventHandle event, plugin::Callback callback);

 private:
  struct Pending {
    EventHandle event;
    plugin::Callback callback;
  };
  void run();

  Context& context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Pending> pending_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_CALLBACKS_HPP_

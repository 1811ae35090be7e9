// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Calls into the program when a stream has come to a point.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_CALLBACKS_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_CALLBACKS_HPP_

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "patchbay/plugin/kit/host.hpp"

#include "cuda-cublas/device/handle.hpp"

namespace patchbay::cuda {

/// A thread that waits for events. The driver has host functions of its own, but they hold back
/// what comes later on the stream, and are not called at all when something before them failed.
class Callbacks {
 public:
  using Call = void (*)(void* user, patchbay_status*);

  explicit Callbacks(Context& context) : context_(context), thread_([this] { run(); }) {}
  /// Returns when the last call has.
  ~Callbacks();

  /// Calls when the event is over, with the status that it ended with.
  void add(EventHandle event, plugin::Host host, Call call, void* user);

 private:
  struct Pending {
    EventHandle event;
    plugin::Host host;
    Call call;
    void* user;
  };
  void run();
  void make(const Pending& pending);

  Context& context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Pending> pending_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_CALLBACKS_HPP_

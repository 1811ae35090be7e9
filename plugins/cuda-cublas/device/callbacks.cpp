// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/callbacks.hpp"

#include <utility>

namespace patchbay::cuda {

Callbacks::~Callbacks() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Callbacks::add(EventHandle event, plugin::Callback callback) {
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back({std::move(event), std::move(callback)});
  }
  changed_.notify_one();
}

void Callbacks::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
    if (pending_.empty()) return;
    Pending next = std::move(pending_.front());
    pending_.pop_front();
    lock.unlock();
    next.callback.call_after(
        [&] { context_.call(context_.driver().event_synchronize, next.event.get()); });
    lock.lock();
  }
}

}  // namespace patchbay::cuda

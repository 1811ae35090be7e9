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

void Callbacks::add(EventHandle event, plugin::Host host, Call call, void* user) {
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back({std::move(event), host, call, user});
  }
  changed_.notify_one();
}

void Callbacks::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
    if (pending_.empty()) return;
    const Pending next = std::move(pending_.front());
    pending_.pop_front();
    lock.unlock();
    make(next);
    lock.lock();
  }
}

void Callbacks::make(const Pending& pending) {
  patchbay_status* const status = plugin::detail::guarded(pending.host.table(), [&] {
    context_.call(context_.driver().event_synchronize, pending.event.get());
  });
  pending.call(pending.user, status);
}

}  // namespace patchbay::cuda

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "queue.h"

#include <utility>

namespace patchbay::sim {

std::uint64_t Queue::post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_all();
  return ++posted_;
}

std::uint64_t Queue::last() const {
  const std::lock_guard lock(mutex_);
  return posted_;
}

bool Queue::is_done(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return done_ >= number;
}

void Queue::release() {
  const std::lock_guard lock(mutex_);
  released_ = posted_;
  changed_.notify_all();
}

void Queue::wait(std::uint64_t number) {
  release();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ >= number; });
}

void Queue::finish() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    released_ = posted_;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Queue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(
        lock, [this] { return stopping_ || (!tasks_.empty() && (!lazy_ || released_ > done_)); });
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    ++done_;
    changed_.notify_all();
  }
}

}  // namespace patchbay::sim

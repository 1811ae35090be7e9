// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/device/worker.hpp"

#include <utility>

namespace patchbay::device {

Worker::Worker() : thread_([this] { run(); }) {}

void Worker::end() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Worker::post(std::list<Task> task) noexcept {
  {
    std::lock_guard lock(mutex_);
    tasks_.splice(tasks_.end(), task);
  }
  changed_.notify_one();
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    {
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }  // release what the task holds before taking the lock again
    lock.lock();
  }
}

}  // namespace patchbay::device

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/threads/queue.hpp"

#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "cpu-openblas/threads/thread_pool.hpp"

namespace patchbay::cpu {

Queue::~Queue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  for (std::thread& thread : thread_) thread.join();
}

std::uint64_t Queue::submit(std::function<void()> work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (thread_.empty()) {
    const auto body = [](void* self) { static_cast<Queue*>(self)->main(); };
    if (!start_quiet_thread(thread_, subnormals_, body, this)) {
      throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY, "there is no thread for the stream");
    }
  }
  items_.push_back({0, std::move(work)});
  items_.back().position = timeline_->submit();
  changed_.notify_one();
  return items_.back().position;
}

void Queue::main() noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !items_.empty(); });
    if (items_.empty()) return;
    {
      const Item item = std::move(items_.front());
      items_.pop_front();
      lock.unlock();
      run(item);
    }  // release what the work holds before taking the lock again
    lock.lock();
  }
}

void Queue::run(const Item& item) noexcept {
  std::optional<plugin::StatusError> failure;
  try {
    try {
      if (!timeline_->has_failed()) item.work();
    } catch (const plugin::StatusError& error) {
      failure = error;
    } catch (const std::exception& error) {
      failure.emplace(PATCHBAY_LAUNCH_FAILED, error.what());
    } catch (...) {
      failure.emplace(PATCHBAY_LAUNCH_FAILED, "an unknown exception");
    }
  } catch (const std::bad_alloc&) {  // no memory for the message; this one needs none
    failure.emplace(PATCHBAY_OUT_OF_MEMORY, "out of memory");
  }
  timeline_->complete(item.position, std::move(failure));
}

}  // namespace patchbay::cpu

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/threads/stream.hpp"

#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/threads/futex.hpp"
#include "cpu-openblas/threads/thread_pool.hpp"
#include "cpu-openblas/threads/timeline.hpp"

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

void Stream::copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) {
  submit_copy(address_of(to), static_cast<const char*>(from), size_bytes);
}

void Stream::copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) {
  submit_copy(static_cast<char*>(to), address_of(from), size_bytes);
}

void Stream::copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) {
  submit_copy(address_of(to), address_of(from), size_bytes);
}

void Stream::submit_copy(char* to, const char* from, std::uint64_t size_bytes) {
  if (queue_ == nullptr) return copy(to, from, size_bytes);
  queue_->submit([=, this] { copy(to, from, size_bytes); });
}

/// Errors of the work contain the launch's name.
void Stream::submit_launch(std::string_view name, std::function<void()> work) {
  queue_->submit([work = std::move(work), origin = std::string(name)] {
    try {
      work();
    } catch (const plugin::StatusError& error) {
      // The call has returned, so other errors become LAUNCH_FAILED.
      const bool no_memory = error.code() == PATCHBAY_OUT_OF_MEMORY;
      throw plugin::StatusError(no_memory ? PATCHBAY_OUT_OF_MEMORY : PATCHBAY_LAUNCH_FAILED,
                                error.what(), error.native_code(), error.flags(), origin);
    } catch (const std::bad_alloc&) {
      throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY, "no memory is left on the host", 0, 0,
                                origin);
    } catch (const std::exception& error) {
      throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED, error.what(), 0, 0, origin);
    }
  });
}

void Stream::record(plugin::Event& event) {
  const auto mark = std::make_shared<Mark>();
  if (queue_ == nullptr) {
    mark->reached_ns.store(monotonic_ns());
  } else {
    mark->timeline = queue_->timeline();
    // The worker writes only the time, perhaps before the position is stored here.
    mark->position = queue_->submit(
        [time = std::shared_ptr<std::atomic<std::uint64_t>>(mark, &mark->reached_ns)] {
          time->store(monotonic_ns(), std::memory_order_release);
        });
  }
  static_cast<Event&>(event).set(mark);
}

void Stream::wait_event(plugin::Event& event) {
  const std::shared_ptr<const Mark> mark = static_cast<Event&>(event).mark();
  if (mark == nullptr || mark->timeline == nullptr) return;
  if (queue_ == nullptr) {
    mark->wait(PATCHBAY_NO_DEADLINE);
  } else if (mark->timeline != queue_->timeline()) {
    // The queue's thread throws the failure of the awaited work, so this stream fails too.
    queue_->submit([mark] { mark->wait(PATCHBAY_NO_DEADLINE); });
  }
}

bool Stream::synchronize(std::uint64_t deadline_ns) {
  if (queue_ == nullptr) return true;
  const Timeline& timeline = *queue_->timeline();
  return timeline.wait(timeline.submitted(), deadline_ns);
}

/// Not on a worker, where a call would delay later work: the core waits for an event instead.
void Stream::add_callback(plugin::Callback callback) {
  if (queue_ != nullptr) plugin::unsupported("a worker's stream makes no calls");
  callback.call_after([] {});
}

void Stream::copy(char* to, const char* from, std::uint64_t size_bytes) {
  constexpr std::int64_t kGrain = 64 << 10;
  if (to == from) return;
  const auto n = static_cast<std::int64_t>(size_bytes);
  const auto compute = [&] {
    workers_.split(n, kGrain, n, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
    });
  };
  // Small copies are faster on this thread.
  if (n <= kGrain) {
    std::memcpy(to, from, size_bytes);
  } else {
    workers_.run(compute);
  }
}

}  // namespace patchbay::cpu

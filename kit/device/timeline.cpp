// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/device/timeline.hpp"

#include <algorithm>
#include <chrono>
#include <new>

namespace patchbay::device {

std::optional<plugin::StatusError> Timeline::attempt(std::uint64_t position,
                                                     const std::function<void()>& work) {
  if (auto earlier = failure(position)) return earlier;
  try {
    health_->check();
    work();
  } catch (const plugin::StatusError& error) {
    return error;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return plugin::StatusError(PATCHBAY_INTERNAL, error.what());
  }
  return std::nullopt;
}

void Timeline::run(std::uint64_t position, const std::function<void()>& work) noexcept {
  std::optional<plugin::StatusError> failure;
  try {
    failure = attempt(position, work);
  } catch (...) {  // no memory for the message; this one needs none
    failure.emplace(PATCHBAY_OUT_OF_MEMORY, "out of memory");
  }
  complete(position, std::move(failure));
}

void Timeline::complete(std::uint64_t position, std::optional<plugin::StatusError> failure) {
  const std::lock_guard lock(mutex_);
  completed_ = position;
  if (failure && !failure_) {
    failure_ = std::move(failure);
    failed_at_ = position;
  }
  // Notify under the lock: the last waiter may destroy this object once it sees the position.
  changed_.notify_all();
}

std::optional<plugin::StatusError> Timeline::failure(std::uint64_t position) const {
  const std::lock_guard lock(mutex_);
  return failure_ && failed_at_ <= position ? failure_ : std::nullopt;
}

std::uint64_t Timeline::running() const {
  const std::lock_guard lock(mutex_);
  return completed_ + 1;
}

void Timeline::check(std::uint64_t position) const {
  health_->check();
  if (const auto failed = failure(position)) throw *failed;
}

bool Timeline::is_done(std::uint64_t position) const {
  {
    const std::lock_guard lock(mutex_);
    if (completed_ < position) return false;
  }
  check(position);
  return true;
}

bool Timeline::wait(const plugin::Host& host, std::uint64_t position, std::uint64_t deadline_ns) {
  hurry(position);
  {
    std::unique_lock lock(mutex_);
    while (completed_ < position) {
      if (deadline_ns == PATCHBAY_NO_DEADLINE) {
        changed_.wait(lock);
        continue;
      }
      const std::uint64_t now = host.now_ns();
      if (now >= deadline_ns) return false;
      // The host's clock may differ, so the wait is relative; it is limited to avoid overflow.
      const auto left = std::min<std::uint64_t>(deadline_ns - now, 1'000'000'000);
      changed_.wait_for(lock, std::chrono::nanoseconds(left));
    }
  }
  check(position);
  return true;
}

bool Event::is_done() { return mark_ == nullptr || mark_->timeline->is_done(mark_->position); }

bool Event::wait(std::uint64_t deadline_ns) {
  return mark_ == nullptr || mark_->timeline->wait(host(), mark_->position, deadline_ns);
}

std::uint64_t Event::reached_ns() const {
  if (mark_ == nullptr || !mark_->timeline->is_done(mark_->position)) {
    plugin::invalid_argument("the event has no time yet");
  }
  return mark_->reached_ns.load(std::memory_order_acquire);
}

std::uint64_t Event::nanoseconds_since(plugin::Event& earlier) {
  const std::uint64_t from = static_cast<Event&>(earlier).reached_ns();
  const std::uint64_t to = reached_ns();
  return to > from ? to - from : 0;
}

}  // namespace patchbay::device

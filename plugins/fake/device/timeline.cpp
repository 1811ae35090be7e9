// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/device/timeline.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace fake {

void Health::lose(std::string why) {
  std::lock_guard lock(mutex_);
  if (is_lost()) return;
  why_ = std::move(why);
  lost_.store(true, std::memory_order_release);
}

void Health::check() const {
  if (!is_lost()) return;
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED, why_, 0, PATCHBAY_STATUS_DEVICE_LOST);
}

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
  } catch (...) {  // no memory for more words; these need none
    failure.emplace(PATCHBAY_OUT_OF_MEMORY, "out of memory");
  }
  complete(position, std::move(failure));
}

void Timeline::hold(std::uint64_t position, std::chrono::microseconds duration) {
  if (duration.count() == 0) return;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, duration, [&] { return wanted_ >= position; });
}

void Timeline::hurry(std::uint64_t position) {
  const std::lock_guard lock(mutex_);
  if (position <= wanted_) return;
  wanted_ = position;
  changed_.notify_all();
}

void Timeline::complete(std::uint64_t position, std::optional<plugin::StatusError> failure) {
  set_stuck(false);
  std::lock_guard lock(mutex_);
  completed_ = position;
  if (failure && !failure_) {
    failure_ = std::move(failure);
    failed_at_ = position;
  }
  // Under the lock: the last waiter may drop this object as soon as it sees the position.
  changed_.notify_all();
}

std::optional<plugin::StatusError> Timeline::failure(std::uint64_t position) const {
  std::lock_guard lock(mutex_);
  return failure_ && failed_at_ <= position ? failure_ : std::nullopt;
}

void Timeline::check(std::uint64_t position) const {
  health_->check();
  if (const auto failed = failure(position)) throw *failed;
}

bool Timeline::is_done(std::uint64_t position) const {
  {
    std::lock_guard lock(mutex_);
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
      // The host's clock need not be ours, so the wait is relative, and bounded against overflow.
      const auto left = std::min<std::uint64_t>(deadline_ns - now, 1'000'000'000);
      changed_.wait_for(lock, std::chrono::nanoseconds(left));
    }
  }
  check(position);
  return true;
}

bool Timeline::wait_unless(std::uint64_t position, const std::function<bool()>& gives_up) {
  hurry(position);
  {
    std::unique_lock lock(mutex_);
    while (completed_ < position) {
      if (gives_up()) return false;
      changed_.wait_for(lock, std::chrono::milliseconds(10));
    }
  }
  check(position);
  return true;
}

}  // namespace fake

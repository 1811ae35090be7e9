// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/threads/timeline.hpp"

#include <chrono>
#include <utility>

#include "patchbay/plugin/types.h"

namespace patchbay::cpu {

std::uint64_t Timeline::submit() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ++submitted_;
}

std::uint64_t Timeline::submitted() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return submitted_;
}

void Timeline::complete(std::uint64_t position, std::optional<plugin::StatusError> failure) {
  const std::lock_guard<std::mutex> lock(mutex_);
  completed_ = position;
  if (failure && !failure_) {
    failure_ = std::move(failure);
    failed_at_ = position;
  }
  // Notify under the lock: the last waiter may destroy this object once it sees the position.
  changed_.notify_all();
}

bool Timeline::has_failed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failure_.has_value();
}

/// The caller holds the lock.
void Timeline::check(std::uint64_t position) const {
  if (failure_ && failed_at_ <= position) throw plugin::StatusError(*failure_);
}

bool Timeline::is_done(std::uint64_t position) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (completed_ < position) return false;
  check(position);
  return true;
}

bool Timeline::wait(std::uint64_t position, std::uint64_t deadline_ns) const {
  const auto is_reached = [&] { return completed_ >= position; };
  std::unique_lock<std::mutex> lock(mutex_);
  // A later deadline would overflow the clock's type.
  if (deadline_ns > static_cast<std::uint64_t>(INT64_MAX)) {
    changed_.wait(lock, is_reached);
  } else {
    const std::chrono::steady_clock::time_point deadline{
        std::chrono::nanoseconds(static_cast<std::int64_t>(deadline_ns))};
    if (!changed_.wait_until(lock, deadline, is_reached)) return false;
  }
  check(position);
  return true;
}

std::uint64_t Event::reached_ns() {
  if (mark_ == nullptr || !is_done()) plugin::invalid_argument("the event has no time yet");
  return mark_->reached_ns.load(std::memory_order_acquire);
}

std::uint64_t Event::nanoseconds_since(plugin::Event& earlier) {
  const std::uint64_t before = static_cast<Event&>(earlier).reached_ns();
  const std::uint64_t after = reached_ns();
  return after > before ? after - before : 0;
}

}  // namespace patchbay::cpu

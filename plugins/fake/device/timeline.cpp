// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/device/timeline.hpp"

namespace fake {

void Timeline::hold(std::chrono::microseconds duration) {
  if (duration.count() == 0) return;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, duration, [&] { return wanted_ > completed_; });
}

void Timeline::hurry(std::uint64_t position) {
  const std::lock_guard lock(mutex_);
  if (position <= wanted_) return;
  wanted_ = position;
  changed_.notify_all();
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

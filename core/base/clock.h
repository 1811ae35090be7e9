// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_BASE_CLOCK_H_
#define PATCHBAY_CORE_BASE_CLOCK_H_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace patchbay::base {

/// Nanoseconds of the monotonic clock, which every deadline uses.
inline std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// The time `timeout_ns` from now, saturating. The largest timeout means no deadline.
inline std::uint64_t deadline_after(std::int64_t timeout_ns) {
  if (timeout_ns == std::chrono::nanoseconds::max().count()) return UINT64_MAX;
  return now_ns() + static_cast<std::uint64_t>(timeout_ns > 0 ? timeout_ns : 0);
}

/// Waits for a notification until the deadline, or not so long: the caller looks again. The largest
/// deadline means none.
inline void wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                       std::uint64_t deadline_ns) {
  if (deadline_ns == UINT64_MAX) return changed.wait(lock);
  const std::uint64_t now = now_ns();
  constexpr std::uint64_t kMost = 1'000'000'000;  // against overflow
  if (now >= deadline_ns) return;
  changed.wait_for(lock, std::chrono::nanoseconds(std::min(deadline_ns - now, kMost)));
}

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_CLOCK_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Waits by polling, for drivers whose waits have no deadline.
#ifndef PATCHBAY_KIT_POLLING_HPP_
#define PATCHBAY_KIT_POLLING_HPP_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "patchbay/plugin/kit/host.hpp"

namespace patchbay {

/// Polls without a pause at first, because the shortest sleep takes some 50 us, then with growing
/// intervals. Returns false if the deadline passes first.
template <class IsOver>
bool poll_until(plugin::Host host, std::uint64_t deadline_ns, IsOver&& is_over) {
  constexpr std::uint64_t kSpinNs = 50'000;
  const std::uint64_t begin_ns = host.now_ns();
  std::chrono::nanoseconds pause(1000);
  while (!is_over()) {
    const std::uint64_t now = host.now_ns();
    if (now >= deadline_ns) return false;
    if (now - begin_ns < kSpinNs) continue;
    const auto left =
        std::chrono::nanoseconds(std::min<std::uint64_t>(deadline_ns - now, 1'000'000'000));
    std::this_thread::sleep_for(std::min(pause, left));
    pause = std::min<std::chrono::nanoseconds>(pause * 2, std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace patchbay

#endif  // PATCHBAY_KIT_POLLING_HPP_

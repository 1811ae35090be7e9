// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How far a stream has come that may be late, or at something that has no end.
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_TIMELINE_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_TIMELINE_HPP_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "kit/device/timeline.hpp"

namespace fake {

namespace plugin = patchbay::plugin;
using Health = patchbay::device::Health;

class Timeline : public patchbay::device::Timeline {
 public:
  using patchbay::device::Timeline::Timeline;

  /// By the worker: waits so long, unless somebody waits for this position or a later one.
  void hold(std::uint64_t position, std::chrono::microseconds duration);
  /// Nothing up to this position is held back any more.
  void hurry(std::uint64_t position) override;

  /// By another timeline's worker, without a deadline. Asks now and then; false when it gives up.
  bool wait_unless(std::uint64_t position, const std::function<bool()>& gives_up);

  /// Whether the worker is at something that has no end of its own. Set by the worker, until the
  /// position is over.
  bool is_stuck() const { return stuck_.load(std::memory_order_acquire); }
  void set_stuck(bool stuck) { stuck_.store(stuck, std::memory_order_release); }

 private:
  std::atomic<bool> stuck_{false};
  std::uint64_t wanted_ = 0;  // under mutex_: as far as somebody waits
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_TIMELINE_HPP_

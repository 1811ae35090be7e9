// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The progress of a stream that may be late or run endless work.
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_TIMELINE_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_TIMELINE_HPP_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "kit/device/timeline.hpp"

namespace fake {

class Timeline : public patchbay::device::Timeline {
 public:
  using patchbay::device::Timeline::Timeline;

  /// Called by the worker: waits this long, unless a caller waits for its position or a later one.
  void hold(std::chrono::microseconds duration);
  /// Ends the delays of all work up to this position.
  void hurry(std::uint64_t position) override;

  /// Called by another timeline's worker. Polls `gives_up`; returns false if it becomes true.
  bool wait_unless(std::uint64_t position, const std::function<bool()>& gives_up);

  /// Whether the worker runs work that never ends by itself; set by the worker.
  bool is_stuck() const { return stuck_.load(std::memory_order_acquire); }
  void set_stuck(bool stuck) { stuck_.store(stuck, std::memory_order_release); }

 private:
  std::atomic<bool> stuck_{false};
  std::uint64_t wanted_ = 0;  // under mutex_: the last position that is waited for
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_TIMELINE_HPP_

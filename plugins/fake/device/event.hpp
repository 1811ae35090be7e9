// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_EVENT_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_EVENT_HPP_

#include <atomic>

#include "kit/device/event.hpp"

namespace fake {

/// An event that may be noticed late.
class Event : public patchbay::device::Event {
 public:
  bool is_done() override {
    return patchbay::device::Event::is_done() &&
           (denials_.load(std::memory_order_relaxed) <= 0 ||
            denials_.fetch_sub(1, std::memory_order_relaxed) <= 0);
  }
  /// Reports the event as pending this many times after it is done.
  void deny(int times) { denials_.store(times, std::memory_order_relaxed); }

 private:
  std::atomic<int> denials_{0};
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_EVENT_HPP_

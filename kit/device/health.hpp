// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Whether a device is lost. Shared, because positions on its streams outlive the device.
#ifndef PATCHBAY_KIT_DEVICE_HEALTH_HPP_
#define PATCHBAY_KIT_DEVICE_HEALTH_HPP_

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::device {

/// Thread-safe.
class Health {
 public:
  /// Permanent; the first reason is kept.
  void lose(std::string why) {
    const std::lock_guard lock(mutex_);
    if (is_lost()) return;
    why_ = std::move(why);
    lost_.store(true, std::memory_order_release);
  }
  bool is_lost() const { return lost_.load(std::memory_order_acquire); }
  /// Throws with PATCHBAY_STATUS_DEVICE_LOST if the device is lost.
  void check() const {
    if (!is_lost()) return;
    throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED, why_, 0, PATCHBAY_STATUS_DEVICE_LOST);
  }

 private:
  std::mutex mutex_;
  std::string why_;  // written once, before lost_
  std::atomic<bool> lost_{false};
};

}  // namespace patchbay::device

#endif  // PATCHBAY_KIT_DEVICE_HEALTH_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How far a stream has come. Shared by the stream, its events, and the streams that wait for them,
// so that an event may go while others still wait for its position.
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_TIMELINE_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_TIMELINE_HPP_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "patchbay/plugin/kit/host.hpp"

namespace fake {

namespace plugin = patchbay::plugin;

/// Whether a device is still there. Shared, for positions outlive their device.
class Health {
 public:
  void lose(std::string why);
  bool is_lost() const { return lost_.load(std::memory_order_acquire); }
  /// Throws with PATCHBAY_STATUS_DEVICE_LOST if the device is gone.
  void check() const;

 private:
  std::mutex mutex_;
  std::string why_;  // written once, before lost_
  std::atomic<bool> lost_{false};
};

class Timeline {
 public:
  explicit Timeline(std::shared_ptr<const Health> health) : health_(std::move(health)) {}

  bool is_of(const Health& health) const { return health_.get() == &health; }

  /// The position of one more submission, which is the one after submitted().
  std::uint64_t submit() { return submitted_.fetch_add(1, std::memory_order_acq_rel) + 1; }
  std::uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }

  /// By the worker: runs the work of a position, unless something before it failed, and moves on.
  void run(std::uint64_t position, const std::function<void()>& work) noexcept;

  /// By the worker: waits so long, unless somebody waits for this position or a later one.
  void hold(std::uint64_t position, std::chrono::microseconds duration);
  /// Nothing up to this position is held back any more.
  void hurry(std::uint64_t position);

  /// These throw the failure of the position or of one before it, but not before it is reached:
  /// until then the worker may still touch memory, also of a device that is lost.
  bool is_done(std::uint64_t position) const;
  /// False when the deadline passed first.
  bool wait(const plugin::Host& host, std::uint64_t position, std::uint64_t deadline_ns);
  /// By another timeline's worker, without a deadline. Asks now and then; false when it gives up.
  bool wait_unless(std::uint64_t position, const std::function<bool()>& gives_up);

  /// Whether the worker is at something that has no end of its own. Set by the worker, until the
  /// position is over.
  bool is_stuck() const { return stuck_.load(std::memory_order_acquire); }
  void set_stuck(bool stuck) { stuck_.store(stuck, std::memory_order_release); }

  /// What submissions up to this position failed with.
  std::optional<plugin::StatusError> failure(std::uint64_t position) const;

 private:
  std::optional<plugin::StatusError> attempt(std::uint64_t position,
                                             const std::function<void()>& work);
  void check(std::uint64_t position) const;
  void complete(std::uint64_t position, std::optional<plugin::StatusError> failure);

  const std::shared_ptr<const Health> health_;
  std::atomic<std::uint64_t> submitted_{0};
  std::atomic<bool> stuck_{false};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t completed_ = 0;
  std::uint64_t wanted_ = 0;  // as far as somebody waits
  std::uint64_t failed_at_ = 0;
  std::optional<plugin::StatusError> failure_;  // the first; it stays
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_TIMELINE_HPP_

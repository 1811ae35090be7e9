// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The progress of a stream that may be late or run endless work, and what is late.
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_TIMELINE_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_TIMELINE_HPP_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "kit/device/timeline.hpp"

namespace fake {

/// What a draw at a position of a stream decides.
enum class Draw : std::uint8_t { kStart, kPieces, kPieceOrder, kPiece, kNotice, kCallback };

/// Decides which work of a queue is late, and by how much: drawn from a seed, so reproducible.
/// Immutable; one per stream.
class DelayPlan {
 public:
  /// `queue` distinguishes the streams of a runtime.
  DelayPlan(std::uint64_t seed, std::uint64_t queue, std::uint32_t late_us)
      : key_(mixed(seed) ^ mixed(~queue)), late_us_(late_us) {}

  bool is_on() const { return late_us_ != 0; }

  std::uint64_t draw(Draw what, std::uint64_t position, std::uint64_t count,
                     std::uint64_t index = 0) const {
    const std::uint64_t place = position * 64 + static_cast<std::uint64_t>(what) * 8 + index;
    return mixed(key_ + mixed(place)) % count;
  }

  /// Zero in half of the cases, otherwise up to the user's limit.
  std::chrono::microseconds hold(Draw what, std::uint64_t position, std::uint64_t index = 0) const {
    const std::uint64_t drawn = draw(what, position, 2 * std::uint64_t{late_us_} + 1, index);
    return std::chrono::microseconds(drawn > late_us_ ? drawn - late_us_ : 0);
  }

 private:
  /// SplitMix64, by G. Steele, D. Lea and C. Flood (2014).
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
  }

  std::uint64_t key_;
  std::uint32_t late_us_;
};

class Timeline : public patchbay::device::Timeline {
 public:
  using patchbay::device::Timeline::Timeline;

  /// Called by the worker: waits this long, unless a caller waits for its position or a later one.
  void hold(std::chrono::microseconds duration) {
    if (duration.count() == 0) return;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, duration, [&] { return wanted_ > completed_; });
  }

  /// Ends the delays of all work up to this position.
  void hurry(std::uint64_t position) override {
    const std::lock_guard lock(mutex_);
    if (position <= wanted_) return;
    wanted_ = position;
    changed_.notify_all();
  }

  /// Called by another timeline's worker. Polls `gives_up`; returns false if it becomes true.
  bool wait_unless(std::uint64_t position, const std::function<bool()>& gives_up) {
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

  /// Whether the worker runs work that never ends by itself; set by the worker.
  bool is_stuck() const { return stuck_.load(std::memory_order_acquire); }
  void set_stuck(bool stuck) { stuck_.store(stuck, std::memory_order_release); }

 private:
  std::atomic<bool> stuck_{false};
  std::uint64_t wanted_ = 0;  // under mutex_: the last position that is waited for
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_TIMELINE_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The progress of a stream. Shared by the stream, its events, and the streams that wait for them,
// so an event may be destroyed while others wait for its position.
#ifndef PATCHBAY_KIT_DEVICE_TIMELINE_HPP_
#define PATCHBAY_KIT_DEVICE_TIMELINE_HPP_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "patchbay/plugin/kit/host.hpp"
#include "patchbay/plugin/kit/objects.hpp"

#include "kit/device/health.hpp"

namespace patchbay::device {

/// Positions count from 1. Thread-safe; a single thread, the worker, runs the work.
class Timeline {
 public:
  explicit Timeline(std::shared_ptr<const Health> health) : health_(std::move(health)) {}
  virtual ~Timeline() = default;
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  bool is_of(const Health& health) const { return health_.get() == &health; }

  /// Counts one more submission and returns its position, submitted().
  std::uint64_t submit() { return submitted_.fetch_add(1, std::memory_order_acq_rel) + 1; }
  std::uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }
  /// By the worker: the position whose work it runs.
  std::uint64_t running() const;

  /// Called by the worker: runs the work of a position unless earlier work failed.
  void run(std::uint64_t position, const std::function<void()>& work) noexcept;

  /// These throw the failure of this or earlier work, but only once the position is reached: until
  /// then the worker may still access memory, even that of a lost device.
  bool is_done(std::uint64_t position) const;
  /// Returns false if the deadline passes first.
  bool wait(const plugin::Host& host, std::uint64_t position, std::uint64_t deadline_ns);

  /// The failure of work up to this position.
  std::optional<plugin::StatusError> failure(std::uint64_t position) const;

 protected:
  /// Called when a wait begins for a position that may not be reached yet.
  virtual void hurry(std::uint64_t) {}
  /// Throws if the device is lost or `failure` returns an error.
  void check(std::uint64_t position) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t completed_ = 0;  // under mutex_

 private:
  std::optional<plugin::StatusError> attempt(std::uint64_t position,
                                             const std::function<void()>& work);
  void complete(std::uint64_t position, std::optional<plugin::StatusError> failure);

  const std::shared_ptr<const Health> health_;
  std::atomic<std::uint64_t> submitted_{0};
  std::uint64_t failed_at_ = 0;                 // under mutex_
  std::optional<plugin::StatusError> failure_;  // under mutex_: the first failure
};

/// A recorded position and the time when it was reached.
struct Mark {
  std::shared_ptr<Timeline> timeline;
  std::uint64_t position = 0;
  std::atomic<std::uint64_t> reached_ns{0};
};

class Event : public plugin::Event {
 public:
  bool is_done() override;
  bool wait(std::uint64_t deadline_ns) override;
  bool is_cancellable() const noexcept override { return true; }
  std::uint64_t nanoseconds_since(plugin::Event& earlier) override;

  void set(std::shared_ptr<const Mark> mark) { mark_ = std::move(mark); }
  /// Null if the event was never recorded; then it is done.
  const std::shared_ptr<const Mark>& mark() const { return mark_; }

 private:
  std::uint64_t reached_ns() const;

  std::shared_ptr<const Mark> mark_;
};

}  // namespace patchbay::device

#endif  // PATCHBAY_KIT_DEVICE_TIMELINE_HPP_

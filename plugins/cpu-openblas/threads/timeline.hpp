// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The progress of a worker's stream, and events, which are positions in it. Shared by the stream,
// its events and the streams that wait for them, so an event may be destroyed while others wait for
// its position.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TIMELINE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TIMELINE_HPP_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "patchbay/plugin/kit/error.hpp"
#include "patchbay/plugin/kit/objects.hpp"

namespace patchbay::cpu {

class Timeline {
 public:
  /// Counts a submission and returns its position, from 1.
  std::uint64_t submit();
  std::uint64_t submitted() const;
  /// Called by the worker when the work of a position is done. The first failure is kept.
  void complete(std::uint64_t position, std::optional<plugin::StatusError> failure);

  // These throw the failure of this or an earlier position, once the position is reached.
  bool is_done(std::uint64_t position) const;
  /// Returns false if the deadline passes first.
  bool wait(std::uint64_t position, std::uint64_t deadline_ns) const;

  /// Whether any work has failed; later work is skipped.
  bool has_failed() const;

 private:
  void check(std::uint64_t position) const;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t submitted_ = 0, completed_ = 0, failed_at_ = 0;
  std::optional<plugin::StatusError> failure_;
};

/// A recorded position and the time when it was reached.
struct Mark {
  std::shared_ptr<const Timeline> timeline;  // null if the recorded work is done
  std::uint64_t position = 0;
  std::atomic<std::uint64_t> reached_ns{0};

  bool is_done() const { return timeline == nullptr || timeline->is_done(position); }
  bool wait(std::uint64_t deadline_ns) const {
    return timeline == nullptr || timeline->wait(position, deadline_ns);
  }
};

class Event final : public plugin::Event {
 public:
  bool is_done() override { return mark_ == nullptr || mark_->is_done(); }
  bool is_cancellable() const noexcept override { return true; }
  bool wait(std::uint64_t deadline_ns) override {
    return mark_ == nullptr || mark_->wait(deadline_ns);
  }
  std::uint64_t nanoseconds_since(plugin::Event& earlier) override;

  void set(std::shared_ptr<Mark> mark) { mark_ = std::move(mark); }
  /// Null if the event was never recorded; then it is done.
  const std::shared_ptr<Mark>& mark() const { return mark_; }

 private:
  std::uint64_t reached_ns();

  std::shared_ptr<Mark> mark_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TIMELINE_HPP_

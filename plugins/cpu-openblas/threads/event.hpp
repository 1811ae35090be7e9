// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_EVENT_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_EVENT_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/threads/timeline.hpp"

namespace patchbay::cpu {

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

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_EVENT_HPP_

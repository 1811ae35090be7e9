// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_DEVICE_EVENT_HPP_
#define PATCHBAY_KIT_DEVICE_EVENT_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/device/timeline.hpp"

namespace patchbay::device {

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

#endif  // PATCHBAY_KIT_DEVICE_EVENT_HPP_

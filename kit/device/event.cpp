// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/device/event.hpp"

namespace patchbay::device {

bool Event::is_done() { return mark_ == nullptr || mark_->timeline->is_done(mark_->position); }

bool Event::wait(std::uint64_t deadline_ns) {
  return mark_ == nullptr || mark_->timeline->wait(host(), mark_->position, deadline_ns);
}

std::uint64_t Event::reached_ns() const {
  if (mark_ == nullptr || !mark_->timeline->is_done(mark_->position)) {
    plugin::invalid_argument("the event has no time yet");
  }
  return mark_->reached_ns.load(std::memory_order_acquire);
}

std::uint64_t Event::nanoseconds_since(plugin::Event& earlier) {
  const std::uint64_t from = static_cast<Event&>(earlier).reached_ns();
  const std::uint64_t to = reached_ns();
  return to > from ? to - from : 0;
}

}  // namespace patchbay::device

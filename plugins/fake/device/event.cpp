// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/device/event.hpp"

namespace fake {

bool Event::is_done() {
  if (mark_ == nullptr) return true;
  if (!mark_->timeline->is_done(mark_->position)) return false;
  return mark_->denials.load(std::memory_order_relaxed) <= 0 ||
         mark_->denials.fetch_sub(1, std::memory_order_relaxed) <= 0;
}

bool Event::wait(std::uint64_t deadline_ns) {
  return mark_ == nullptr || mark_->timeline->wait(host(), mark_->position, deadline_ns);
}

std::uint64_t Event::reached_ns() {
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

}  // namespace fake

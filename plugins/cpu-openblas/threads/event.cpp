// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/threads/event.hpp"

namespace patchbay::cpu {

std::uint64_t Event::reached_ns() {
  if (mark_ == nullptr || !is_done()) plugin::invalid_argument("the event has no time yet");
  return mark_->reached_ns.load(std::memory_order_acquire);
}

std::uint64_t Event::nanoseconds_since(plugin::Event& earlier) {
  const std::uint64_t before = static_cast<Event&>(earlier).reached_ns();
  const std::uint64_t after = reached_ns();
  return after > before ? after - before : 0;
}

}  // namespace patchbay::cpu

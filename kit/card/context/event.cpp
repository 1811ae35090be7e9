// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/context/event.hpp"

#include "kit/card/context/polling.hpp"

namespace patchbay::card {

bool Event::is_done() {
  if (!is_over(context_, context_.api().event_query, native())) return false;
  context_.launches().forget(position_);
  return true;
}

bool Event::wait(std::uint64_t deadline_ns) {
  if (deadline_ns == PATCHBAY_NO_DEADLINE) {
    context_.wait(context_.api().event_synchronize, native());
  } else if (!poll(context_, context_.api().event_query, native(), host(), deadline_ns)) {
    return false;
  }
  context_.launches().forget(position_);
  return true;
}

std::uint64_t Event::nanoseconds_since(plugin::Event& earlier) {
  if (!is_done() || !earlier.is_done()) plugin::invalid_argument("the event has no time yet");
  float milliseconds = 0;
  context_.call(context_.api().event_elapsed, &milliseconds, static_cast<Event&>(earlier).native(),
                native());
  return milliseconds > 0 ? static_cast<std::uint64_t>(double{milliseconds} * 1e6) : 0;
}

}  // namespace patchbay::card

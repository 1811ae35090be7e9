// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/call_gate.h"

#include <chrono>

namespace patchbay::runtime {

constinit thread_local int CallGate::depth = 0;

// A thread waits while the gate is closed. If it is within a call of some plugin, and calls of this
// plugin still run, it goes on: the thread that closes may be waiting for it.
CallGate::Call::Call(CallGate& gate) noexcept : gate_(gate) {
  std::uint32_t state = gate.state_.load();
  for (;;) {
    const bool is_closed = (state & kClosed) != 0;
    if (is_closed && (state == kClosed || depth == 0)) {
      gate.state_.wait(state);
      state = gate.state_.load();
    } else if (gate.state_.compare_exchange_weak(state, state + kOneCall)) {
      break;
    }
  }
  ++depth;
}

CallGate::Call::~Call() {
  --depth;
  gate_.state_.fetch_sub(kOneCall);
}

bool CallGate::close() noexcept {
  constexpr std::chrono::milliseconds kStep{1}, kMost{100};
  state_.fetch_or(kClosed);
  for (auto waited = kStep * 0; state_.load() != kClosed; waited += kStep) {
    if (waited == kMost) return false;
    std::this_thread::sleep_for(kStep);
  }
  return true;
}

void CallGate::open() noexcept {
  state_.fetch_and(~kClosed);
  state_.notify_all();
}

void CallGate::end() noexcept {
  closer_.store(std::this_thread::get_id());
  open();
}

}  // namespace patchbay::runtime

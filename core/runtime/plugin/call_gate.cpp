// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/call_gate.h"

#include <chrono>
#include <thread>

namespace patchbay::runtime {

constinit thread_local const CallGate::EntryMark* CallGate::EntryMark::innermost = nullptr;

bool CallGate::EntryMark::is_nested() const noexcept {
  const EntryMark* place = outer_;
  while (place != nullptr && &place->gate_ != &gate_) place = place->outer_;
  return place != nullptr;
}

bool CallGate::is_inside() noexcept { return EntryMark::innermost != nullptr; }

std::int64_t CallGate::num_calls() const noexcept {
  std::int64_t sum = 0;
  for (const Count& count : counts_) sum += count.value.load();
  return sum;
}

// A call writes its count and then reads the state. Closed writes the state and then reads the
// counts. These accesses are sequentially consistent, so at least one of the two sees the other.
CallGate::Call::Call(CallGate& gate) noexcept
    : place_(gate), count_(gate.counts_[thread_shard()].value) {
  count_.fetch_add(1);
  while (gate.state_.load() == State::kClosed && !place_.is_nested()) {
    count_.fetch_sub(1);
    gate.state_.wait(State::kClosed);
    count_.fetch_add(1);
  }
}

bool CallGate::Call::is_late() const noexcept {
  return place_.gate().state_.load() == State::kEnded && !place_.is_nested();
}

CallGate::Closed::~Closed() {
  State closed = State::kClosed;
  if (gate_.state_.compare_exchange_strong(closed, State::kOpen)) gate_.state_.notify_all();
}

CallGate::Ended::Ended(CallGate& gate) noexcept : place_(gate) {
  gate.state_.store(State::kEnded);
  gate.state_.notify_all();
}

bool CallGate::Closed::wait_for_calls() const {
  constexpr std::chrono::milliseconds kStep{1}, kMost{100};
  for (auto waited = kStep * 0; gate_.num_calls() != 0; waited += kStep) {
    if (waited == kMost) return false;
    std::this_thread::sleep_for(kStep);
  }
  return true;
}

}  // namespace patchbay::runtime

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/call_gate.h"

#include <chrono>
#include <thread>

namespace patchbay::runtime {

constinit thread_local const CallGate::Place* CallGate::innermost = nullptr;

bool CallGate::is_inside() noexcept { return innermost != nullptr; }

bool CallGate::has_this_thread() const noexcept {
  const Place* place = innermost;
  while (place != nullptr && place->gate != this) place = place->outer;
  return place != nullptr;
}

std::int64_t CallGate::num_calls() const noexcept {
  std::int64_t sum = 0;
  for (const Count& count : counts_) sum += count.value.load();
  return sum;
}

// A call counts itself and then looks at the gate; who closes it looks at the counts afterwards. In
// one total order of these, one of the two sees the other.
CallGate::Call::Call(CallGate& gate) noexcept
    : count_(gate.counts_[thread_shard()].value), place_{&gate, innermost} {
  count_.fetch_add(1);
  while (gate.is_closed_.load() && !gate.has_this_thread()) {
    count_.fetch_sub(1);
    gate.is_closed_.wait(true);
    count_.fetch_add(1);
  }
  innermost = &place_;
}

CallGate::Call::~Call() {
  innermost = place_.outer;
  count_.fetch_sub(1, std::memory_order_release);
}

CallGate::Closed::Closed(CallGate& gate) noexcept : gate_(gate), place_{&gate, innermost} {
  gate.is_closed_.store(true);
  innermost = &place_;
}

CallGate::Closed::~Closed() {
  innermost = place_.outer;
  gate_.is_closed_.store(false);
  gate_.is_closed_.notify_all();
}

bool CallGate::Closed::waits_for_calls() const {
  constexpr std::chrono::milliseconds kStep{1}, kMost{100};
  for (auto waited = kStep * 0; gate_.num_calls() != 0; waited += kStep) {
    if (waited == kMost) return false;
    std::this_thread::sleep_for(kStep);
  }
  return true;
}

}  // namespace patchbay::runtime

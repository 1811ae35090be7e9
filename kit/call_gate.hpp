// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Prevents calls of a library that can't be called while the process exits.
#ifndef PATCHBAY_KIT_CALL_GATE_HPP_
#define PATCHBAY_KIT_CALL_GATE_HPP_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay {

class CallGate {
 public:
  /// Held during a call. False if the gate is closed; then don't call the library.
  class Pass {
   public:
    explicit Pass(CallGate& gate) : gate_(gate), is_open_(gate.enter()) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() {
      if (is_open_) gate_.leave();
    }
    explicit operator bool() const noexcept { return is_open_; }

   private:
    CallGate& gate_;
    const bool is_open_;
  };

  /// Prevents new calls, and waits until running calls have returned or the deadline has passed.
  void close(std::uint64_t deadline_ns) {
    const std::chrono::steady_clock::time_point deadline{
        std::chrono::nanoseconds(static_cast<std::int64_t>(deadline_ns))};
    is_closed_.store(true);
    while (num_inside_.load() != 0 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  bool is_closed() const { return is_closed_.load(); }

 private:
  // Counts first, so that either `close` sees this call or it sees that the gate is closed.
  bool enter() {
    num_inside_.fetch_add(1);
    if (!is_closed_.load()) return true;
    leave();
    return false;
  }
  void leave() { num_inside_.fetch_sub(1); }

  std::atomic<int> num_inside_{0};
  std::atomic<bool> is_closed_{false};
};

/// Throws the error of a call that comes when the process is ending.
[[noreturn]] inline void refuse_at_process_end() {
  throw plugin::StatusError(PATCHBAY_INTERNAL, "the process is ending: it accepts no more work");
}

}  // namespace patchbay

#endif  // PATCHBAY_KIT_CALL_GATE_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Prevents calls of a library that can't be called while the process exits.
#ifndef PATCHBAY_KIT_CALL_GATE_HPP_
#define PATCHBAY_KIT_CALL_GATE_HPP_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

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
    std::unique_lock<std::mutex> lock(mutex_);
    is_closed_ = true;
    left_.wait_until(lock, deadline, [this] { return num_inside_ == 0; });
  }

 private:
  bool enter() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_closed_) ++num_inside_;
    return !is_closed_;
  }
  void leave() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--num_inside_ == 0) left_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable left_;
  int num_inside_ = 0;
  bool is_closed_ = false;
};

}  // namespace patchbay

#endif  // PATCHBAY_KIT_CALL_GATE_HPP_
